package object

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// flow splices the entries of a flow collection, of which at least one stays. The collection begins
// at an offset. It returns false if it can't.
func (s *splicer) flow(at int, old, edited *tree.Node) bool {
	f, ok := s.flowCollection(s.skipProperties(at), old)
	if !ok {
		return false
	}
	firstStep := len(s.steps)
	if old.Kind == tree.MappingNode {
		s.planMembers(old, edited)
	} else {
		s.planElements(old, edited)
	}
	w := flowWriter{splicer: s, flowCollection: f, last: -1, isMap: old.Kind == tree.MappingNode}
	ok = w.applySteps(s.steps[firstStep:])
	s.steps = s.steps[:firstStep]
	return ok
}

// flowWriter makes the splices of one flow collection.
type flowWriter struct {
	*splicer
	flowCollection
	isMap bool
	// last is the last entry so far that stays; -1 for none.
	last int
}

// applySteps makes the splices of a plan, some step of which keeps an entry.
func (w *flowWriter) applySteps(plan []step) bool {
	trailing := w.parts[len(w.parts)-1].comma >= 0
	for i := 0; i < len(plan); i++ {
		isLast := !slices.ContainsFunc(plan[i+1:], func(p step) bool { return !p.gone })
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
		w.replace(e.end, e.end, []byte{','})
	case !wanted && e.comma >= 0:
		w.replace(e.comma, e.comma+1, nil)
	}
}

// value splices the new value of an entry that stays.
func (w *flowWriter) value(p step) bool {
	e := w.parts[p.old]
	if p.value == e.value {
		return true
	}
	if w.isEditOf(p.value, e.value) && isCollection(e.value) && len(e.value.Content) > 0 && w.anyStays(e.value, p.value) &&
		w.flow(e.valueStart, e.value, p.value) {
		return true
	}
	if w.flowString(e.valueStart, e.value, p.value) {
		return true
	}
	text, ok := w.text(p.value, e.start)
	if !ok {
		return false
	}
	if e.valueStart == e.end && w.isMap { // there is no value
		text = slices.Concat([]byte{' '}, text)
		if w.splicer.text[e.end-1] != ':' {
			text = slices.Concat([]byte{':'}, text)
		}
	}
	w.replace(e.valueStart, e.end, text)
	return true
}

// behind returns the offset behind an entry and its comma.
func (w *flowWriter) behind(i int) int {
	if e := w.parts[i]; e.comma >= 0 {
		return e.comma + 1
	}
	return w.parts[i].end
}

// removeRun removes entries that are one behind the other.
func (w *flowWriter) removeRun(first, last int) {
	start, end := w.parts[first].start, w.behind(last)
	line := w.lineAt(start)
	switch {
	case w.beginsLine(start) && w.endsLine(end):
		w.replace(w.start(w.headIn(line)), w.start(w.lineAt(end)+1), nil)
	case last+1 < len(w.parts) && w.lineAt(w.parts[last+1].start) == w.lineAt(end):
		w.replace(start, w.parts[last+1].start, nil)
	default:
		before := w.from + 1
		if first > 0 {
			before = w.behind(first - 1)
		}
		if len(bytes.TrimSpace(w.splicer.text[before:start])) > 0 {
			before = start // a comment is between
		}
		w.replace(before, end, nil)
	}
}

// headIn returns the first line of the comment right above a line, at the same indentation and
// within the collection.
func (w *flowWriter) headIn(line int) int {
	first, in := w.lineAt(w.from), indentation(w.line(line))
	for line > first+1 {
		above := w.line(line - 1)
		if !isComment(above) || !bytes.Equal(indentation(above), in) {
			break
		}
		line--
	}
	return line
}

// beginsLine tells whether only blanks are before the offset on its line.
func (w *flowWriter) beginsLine(at int) bool {
	return isBlank(w.splicer.text[w.start(w.lineAt(at)):at])
}

// endsLine tells whether only blanks and a comment are behind the offset on its line.
func (w *flowWriter) endsLine(at int) bool {
	rest := bytes.TrimLeft(w.splicer.text[at:w.lineEnd(at)], " \t")
	return len(rest) == 0 || rest[0] == '#'
}

// insert writes a new entry behind the last one that stays, or before the first.
func (w *flowWriter) insert(p step, rest []step, comma bool) bool {
	next := nextStaying(rest)
	by := w.last
	if by < 0 {
		by = next
	}
	text, ok := w.newEntry(p, w.parts[by].start)
	if !ok {
		return false
	}
	e := w.parts[by]
	ownLine := w.beginsLine(e.start) && w.endsLine(w.behind(by))
	line := w.lineAt(e.start)
	switch {
	case ownLine && w.last < 0:
		at := w.start(w.headIn(line))
		w.replace(at, at, slices.Concat(indentation(w.line(line)), text, []byte(",\n")))
	case w.last < 0:
		w.replace(e.start, e.start, append(text, ", "[:w.gap()]...))
	case ownLine:
		text = slices.Concat(indentation(w.line(line)), text, []byte(",\n"))
		if !comma {
			text = append(text[:len(text)-2], '\n')
		}
		at := w.start(w.lineAt(w.behind(by)) + 1)
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

// nextStaying returns the entry of the next step that keeps one.
func nextStaying(rest []step) int {
	i := slices.IndexFunc(rest, func(p step) bool { return !p.gone && p.old >= 0 })
	if i < 0 {
		return 0
	}
	return rest[i].old
}

// gap is 2 if a blank follows commas, else 1.
func (w *flowWriter) gap() int {
	for _, e := range w.parts {
		if e.comma >= 0 && e.comma+1 < len(w.splicer.text) {
			if isSpace(w.splicer.text[e.comma+1]) {
				return 2
			}
			return 1
		}
	}
	if w.isMap && !w.isSpaced() {
		return 1
	}
	return 2
}

// isSpaced tells whether a blank follows the colons of the collection.
func (w *flowWriter) isSpaced() bool {
	if !w.json {
		return true
	}
	for _, e := range w.parts {
		if e.key != nil {
			return isSpace(w.splicer.text[e.valueStart-1])
		}
	}
	return w.splicer.isSpaced
}

// newEntry writes a member or an element for the line of an offset.
func (w *flowWriter) newEntry(p step, at int) ([]byte, bool) {
	text, ok := w.text(p.value, at)
	if !ok || p.key == nil {
		return text, ok
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
	if !w.json {
		return w.style.flowText(n)
	}
	text, err := tree.MarshalJSON(n)
	if err != nil {
		return nil, false
	}
	line, outer := indentation(w.line(w.lineAt(at))), indentation(w.line(w.lineAt(w.to-1)))
	if unit, ok := bytes.CutPrefix(line, outer); ok && len(unit) > 0 && len(line) <= deepestLine && w.beginsLine(at) {
		var out bytes.Buffer
		err := json.Indent(&out, text, string(line), string(unit))
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

// indentation returns the blanks that a line begins with.
func indentation(line []byte) []byte {
	return line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
}

// flowText writes a node in flow style, on one line.
func (s style) flowText(n *tree.Node) ([]byte, bool) {
	if text, ok := inlinePlain(n, true); ok {
		return text, true
	}
	return s.flowAny(n)
}

// flowAny is flowText with the YAML library.
func (s style) flowAny(n *tree.Node) ([]byte, bool) {
	list := &tree.Node{Kind: tree.SequenceNode, Style: tree.FlowStyle, Content: []*tree.Node{n}}
	if text, ok := s.inlineAny(list); ok && len(text) > 2 {
		return text[1 : len(text)-1], true
	}
	text, err := tree.MarshalJSON(n)
	return text, err == nil
}
