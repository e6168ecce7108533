package object

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// flowEntry is a member of a flow map or an element of a flow list, at its place in the text.
type flowEntry struct {
	start int        // the offset of the key or the element
	value *tree.Node // that of the old collection
	// comma is the offset of the comma behind it; -1 where there is none.
	comma int
}

// flow splices the entries of a flow collection. It returns false if it can't.
func (s *splicer) flow(old, edited *tree.Node) bool {
	if at := tree.ContentStart(s.text, old); s.text[at] != '[' && s.text[at] != '{' {
		return false // a pair in a list
	}
	w := flowWriter{splicer: s, old: old, last: -1}
	step := 1
	if old.Kind == tree.MappingNode {
		step = 2
	}
	for i := 0; i+step <= len(old.Content); i += step {
		e := flowEntry{start: old.Content[i].Start(), value: old.Content[i+step-1], comma: -1}
		if at := tree.SkipBlanks(s.text, e.value.End()); s.text[at] == ',' {
			e.comma = at
		}
		w.parts = append(w.parts, e)
	}
	return w.applySteps(s.plan(old, edited))
}

// emptyFlow removes all entries of a flow collection in which a comment stays. It returns false if
// none does, or the collection is not emptied.
func (s *splicer) emptyFlow(old, value *tree.Node) bool {
	if !isCollection(old) || isBlockCollection(old) || len(old.Content) == 0 || len(value.Content) > 0 || s.origins[value] != old {
		return false
	}
	return s.try(func() bool {
		if !s.flow(old, value) {
			return false
		}
		removed := s.splices[len(s.splices)-1]
		return strings.Contains(s.text[tree.ContentStart(s.text, old):removed.Start]+s.text[removed.End:old.End()], "#")
	})
}

// flowWriter makes the splices of one flow collection.
type flowWriter struct {
	*splicer
	old   *tree.Node
	parts []flowEntry
	// last is the last entry so far that stays; -1 for none.
	last int
}

// applySteps makes the splices of a plan, which keeps at least one entry, or only removes.
func (w *flowWriter) applySteps(plan []editStep) bool {
	trailing := w.parts[len(w.parts)-1].comma >= 0
	for i := 0; i < len(plan); i++ {
		isLast := !slices.ContainsFunc(plan[i+1:], func(p editStep) bool { return !p.gone })
		switch p := plan[i]; {
		case p.gone:
			first := i
			for i+1 < len(plan) && plan[i+1].gone {
				i++
			}
			w.removeRun(plan[first].old, plan[i].old)
		case p.old >= 0:
			w.last = p.old
			if !w.value(p) {
				return false
			}
			w.setComma(p.old, !isLast || trailing)
		case !w.insert(p, plan[i+1:], !isLast || trailing):
			return false
		}
	}
	return true
}

// setComma adds a comma behind an entry, or removes it.
func (w *flowWriter) setComma(i int, wanted bool) {
	e := w.parts[i]
	switch {
	case wanted && e.comma < 0:
		w.replace(e.value.End(), e.value.End(), []byte{','})
	case !wanted && e.comma >= 0:
		w.replace(e.comma, e.comma+1, nil)
	}
}

// value splices the new value of an entry that stays.
func (w *flowWriter) value(p editStep) bool {
	old := w.parts[p.old].value
	if p.value == old || w.isEditOf(p.value, old) && w.try(func() bool { return w.flow(old, p.value) }) || w.emptyFlow(old, p.value) {
		return true
	}
	if splices, ok := w.editString(0, old, p.value); ok {
		w.splices = append(w.splices, splices...)
		return true
	}
	text, ok := w.text(p.value, w.parts[p.old].start)
	if old.End() > old.Start() {
		w.replace(old.Start(), old.End(), text)
		return ok
	}
	return ok && w.fill(p.old, text)
}

// fill writes the value of a member that has none.
func (w *flowWriter) fill(i int, text []byte) bool {
	key, value := w.old.Content[2*i], w.parts[i].value
	at, colon := key.End(), tree.SkipBlanks(w.splicer.text, key.End())
	if w.splicer.text[colon] != ':' {
		w.replace(at, at, slices.Concat([]byte(": "), text))
		return true
	}
	w.replace(colon+1, value.Start(), slices.Concat([]byte{' '}, text))
	return isBlank(w.splicer.text[colon+1 : value.Start()])
}

// behind returns the offset behind an entry and its comma.
func (w *flowWriter) behind(i int) int {
	if e := w.parts[i]; e.comma >= 0 {
		return e.comma + 1
	}
	return w.parts[i].value.End()
}

// removeRun removes entries that are one behind the other.
func (w *flowWriter) removeRun(first, last int) {
	start, end := w.parts[first].start, w.behind(last)
	switch {
	case w.beginsLine(start) && w.isKeyLine(end):
		w.replace(w.headIn(first), w.nextLine(end), nil)
	case last+1 < len(w.parts) && w.onOneLine(end, w.parts[last+1].start):
		w.replace(start, w.parts[last+1].start, nil)
	default:
		before := tree.ContentStart(w.splicer.text, w.old) + 1
		if first > 0 {
			before = w.behind(first - 1)
		}
		if !isBlank(w.splicer.text[before:start]) {
			before = start // a comment is between
		}
		w.replace(before, end, nil)
	}
}

// indentation returns the blanks that the line of an offset begins with.
func (w *flowWriter) indentation(at int) string {
	line := w.splicer.text[w.lineStart(at):]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// headIn is head for an entry that begins a line.
func (w *flowWriter) headIn(i int) int {
	e := blockEntry{start: w.parts[i].start}
	if i > 0 {
		e.behind = w.behind(i - 1)
	}
	if w.old.Kind == tree.MappingNode {
		e.key = w.old.Content[2*i]
	}
	return max(w.head(e), w.nextLine(w.old.Start()))
}

// insert writes a new entry behind the last one that stays, or before the first.
func (w *flowWriter) insert(p editStep, rest []editStep, comma bool) bool {
	by := w.last
	if by < 0 {
		by = rest[slices.IndexFunc(rest, func(p editStep) bool { return !p.gone && p.old >= 0 })].old
	}
	text, ok := w.newEntry(p, w.parts[by].start)
	if !ok {
		return false
	}
	e := w.parts[by]
	ownLine, pad := w.beginsLine(e.start) && w.isKeyLine(w.behind(by)), w.indentation(e.start)
	switch {
	case ownLine && w.last < 0:
		at := w.headIn(by)
		w.replace(at, at, slices.Concat([]byte(pad), text, []byte(",\n")))
	case w.last < 0:
		w.replace(e.start, e.start, append(text, ", "[:w.gap()]...))
	case ownLine:
		text = slices.Concat([]byte(pad), text, []byte(",\n"))
		if !comma {
			text = append(text[:len(text)-2], '\n')
		}
		at := w.nextLine(w.behind(by))
		w.replace(at, at, text)
	default:
		text = slices.Concat([]byte{' '}, text, []byte{','})
		if !comma {
			text = text[:len(text)-1]
		}
		w.replace(w.behind(by), w.behind(by), text[2-w.gap():])
	}
	return true
}

// gap is 2 if a blank follows commas, else 1.
func (w *flowWriter) gap() int {
	isSpaced := w.isSpaced()
	if i := slices.IndexFunc(w.parts, func(e flowEntry) bool { return e.comma >= 0 }); i >= 0 {
		at := w.parts[i].comma + 1
		isSpaced = isBlank(w.splicer.text[at : at+1])
	}
	if isSpaced {
		return 2
	}
	return 1
}

// isSpaced tells whether a blank follows the colons of the collection, or, in JSON, if it has none,
// of the text.
func (w *flowWriter) isSpaced() bool {
	switch {
	case !w.json:
		return true
	case w.old.Kind == tree.MappingNode && len(w.parts) > 0:
		return isBlank(w.splicer.text[w.parts[0].value.Start()-1 : w.parts[0].value.Start()])
	}
	return strings.Contains(w.splicer.text, `": `)
}

// newEntry writes a member or an element for the line of an offset.
func (w *flowWriter) newEntry(p editStep, at int) ([]byte, bool) {
	text, ok := w.text(p.value, at)
	if !ok || p.key == nil {
		return text, ok
	}
	if w.kyaml {
		return slices.Concat(kyamlKeyText(p.key), []byte(": "), text), true
	}
	key, ok := w.text(p.key, at)
	colon := ": "
	if !w.isSpaced() {
		colon = ":"
	}
	return slices.Concat(key, []byte(colon), text), ok
}

// text writes a node in the style of the collection, for the line of an offset.
func (w *flowWriter) text(n *tree.Node, at int) ([]byte, bool) {
	switch {
	case w.kyaml:
		return kyamlText(n, w.indentation(at)), true
	case !w.json:
		return w.style.inlineText(n, true)
	}
	text, err := tree.MarshalJSON(n)
	if err != nil {
		return nil, false
	}
	line, outer := w.indentation(at), w.indentation(w.old.End()-1)
	if unit, ok := strings.CutPrefix(line, outer); ok && len(unit) > 0 && len(line) <= deepestLine && w.beginsLine(at) {
		var out bytes.Buffer
		err := json.Indent(&out, text, line, unit)
		return out.Bytes(), err == nil
	}
	if w.isSpaced() {
		text = spacedJSON(text)
	}
	return text, true
}

// deepestLine is the longest indentation of lines of new JSON.
const deepestLine = 256

// spacedJSON adds a blank behind each colon and comma of JSON on one line.
func spacedJSON(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/8)
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		out = append(out, c)
		switch {
		case inString && c == '\\':
			i++
			out = append(out, text[i])
		case c == '"':
			inString = !inString
		case !inString && (c == ':' || c == ','):
			out = append(out, ' ')
		}
	}
	return out
}
