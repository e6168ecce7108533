package engine

import (
	"slices"
	"strings"
)

// cursor is a place in a functionConfig that may not be valid yet: what is around it is told by
// the indentation of the lines.
type cursor struct {
	// kind is that of the functionConfig; "" where there is none.
	kind string
	// path are the steps to the map or the list that the cursor is in: keys, and element.
	path []string
	// isValue is true behind the colon of key.
	isValue bool
	key     string
	// typed is what is there already of the word at the cursor.
	typed string
	// indent is the indentation of the map, and siblings are the keys in it.
	indent   int
	siblings []string
	// opened is the key right above an empty line, at its indentation, which has no value yet: a
	// list may begin here.
	opened string
}

// line is what a line of block style begins with.
type line struct {
	// dashes are the columns of the dashes, from 0, and column is where the rest begins.
	dashes []int
	column int
	// key is the key that the rest begins with; "" for none. HasValue is true if something is
	// behind its colon.
	key      string
	hasValue bool
	rest     string
	isBlank  bool
}

// readLine reads a line, or the beginning of one.
func readLine(text string) line {
	l := line{rest: text}
	for {
		blanks := len(l.rest) - len(strings.TrimLeft(l.rest, " "))
		l.column += blanks
		l.rest = l.rest[blanks:]
		if l.rest != "-" && !strings.HasPrefix(l.rest, "- ") {
			break
		}
		l.dashes = append(l.dashes, l.column)
		l.column++
		l.rest = l.rest[1:]
	}
	if len(l.dashes) > 0 && l.rest == "" && !strings.HasSuffix(text, " ") {
		l.column++ // where the rest will begin
	}
	l.isBlank = len(l.dashes) == 0 && (l.rest == "" || l.rest[0] == '#')
	key, value, ok := strings.Cut(l.rest, ":")
	if ok && (value == "" || value[0] == ' ') && !strings.ContainsAny(key, " \"'{[") {
		l.key, l.hasValue = key, strings.TrimSpace(value) != "" && !strings.HasPrefix(strings.TrimSpace(value), "#")
	}
	return l
}

// cursorIn reads what is around a place.
func cursorIn(content string, number, column int) cursor {
	t := newText(inConfig, content)
	number = min(max(number, 1), len(t.starts))
	lines := strings.Split(strings.ReplaceAll(content, "\r\n", "\n"), "\n")
	before := content[t.starts[number-1]:t.offset(Place{Line: number, Column: column})]
	here := readLine(before)
	c := cursor{kind: kindIn(lines), typed: here.rest, indent: here.column}
	if here.key != "" && strings.Contains(here.rest, ": ") {
		c.isValue, c.key = true, here.key
		c.typed = strings.TrimLeft(here.rest[len(here.key)+1:], " ")
	}
	if i := lastContent(lines[:number-1]); i >= 0 && len(here.dashes) == 0 {
		if above := readLine(lines[i]); above.key != "" && !above.hasValue && above.column == here.column {
			c.opened = above.key
		}
	}
	w := upward{column: here.column}
	w.dash(here.dashes)
	for i := number - 2; i >= 0; i-- {
		w.line(readLine(lines[i]))
	}
	c.path, c.siblings = w.path, w.siblings
	if len(here.dashes) == 0 || here.key != "" || here.rest != "" || len(w.path) > 0 {
		c.siblings = append(c.siblings, siblingsBelow(lines[min(number, len(lines)):], here.column)...)
	}
	return c
}

// lastContent is the index of the last line that is not blank; -1 for none.
func lastContent(lines []string) int {
	for i, text := range slices.Backward(lines) {
		if !readLine(text).isBlank {
			return i
		}
	}
	return -1
}

// kindIn is the kind of the functionConfig.
func kindIn(lines []string) string {
	for _, text := range lines {
		if kind, ok := strings.CutPrefix(text, "kind:"); ok {
			kind, _, _ = strings.Cut(kind, " #")
			return strings.Trim(strings.TrimSpace(kind), `"'`)
		}
	}
	return ""
}

// siblingsBelow are the keys in a column up to the end of the map.
func siblingsBelow(lines []string, column int) []string {
	var keys []string
	for _, text := range lines {
		l := readLine(text)
		switch {
		case l.isBlank || len(l.dashes) == 0 && l.column > column:
		case len(l.dashes) > 0 && l.dashes[0] < column || l.column < column:
			return keys
		case len(l.dashes) == 0 && l.key != "":
			keys = append(keys, l.key)
		}
	}
	return keys
}

// upward goes from the cursor up, to the keys that it is below.
type upward struct {
	// column is that of the map that is being left, or with inList that of the dashes of a list.
	column   int
	inList   bool
	isBehind bool
	path     []string
	siblings []string
}

// dash goes from the content behind dashes to the outermost of them.
func (w *upward) dash(dashes []int) {
	for _, column := range slices.Backward(dashes) {
		w.path = slices.Insert(w.path, 0, element)
		w.column, w.inList = column, true
	}
}

// line goes one line up.
func (w *upward) line(l line) {
	if l.isBlank {
		return
	}
	first := l.column
	if len(l.dashes) > 0 {
		first = l.dashes[0]
	}
	switch {
	case w.inList && len(l.dashes) > 0 && !slices.ContainsFunc(l.dashes, func(c int) bool { return c < w.column }):
		// an element before, or inside one
	case l.key != "" && (l.column < w.column || w.inList && l.column == w.column && len(l.dashes) == 0):
		if l.hasValue { // as behind a key that has a value already
			return
		}
		w.path = slices.Insert(w.path, 0, l.key)
		w.column, w.inList, w.isBehind = l.column, false, true
		w.dash(l.dashes)
	case !w.inList && l.column == w.column && l.key != "":
		if !w.isBehind {
			w.siblings = append(w.siblings, l.key)
		}
		if len(l.dashes) > 0 {
			w.isBehind = true
			w.dash(l.dashes)
		}
	case first < w.column && l.key == "":
		// a text, which no key is below
	}
}
