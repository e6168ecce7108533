package object

import (
	"bytes"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Splices returns the edits as splices of Source, sorted and disjoint; one splice if the text is
// rewritten as a whole.
func (o *Object) Splices() ([]Splice, error) {
	if !o.Changed() {
		return nil, nil
	}
	return o.splices()
}

// stringEdit is a string that was edited in place.
type stringEdit struct {
	origin  *tree.Node // of Original
	splices []Splice   // of its value
}

// SpliceString edits the string at a location in place. The splices are those of its value in
// Original, and replace earlier ones. It returns false if the string has other edits, or the
// splices do not make the value. The value may lack the line breaks at its end that its block
// scalar would not keep.
func (o *Object) SpliceString(l location.Location, splices []Splice, value string) bool {
	now := o.At(l)
	if len(l) == 0 || now == nil || now.Kind != tree.ScalarNode {
		return false
	}
	origin := now
	if edit, ok := o.strings[now]; ok {
		origin = edit.origin
	} else if _, isCopy := o.origins[now]; isCopy {
		return false
	}
	n := *origin
	n.SetText(value)
	if made := Spliced(origin.Text(), splices); made != value && value != o.chomped(origin, made) {
		return false
	}
	n.Style = styleOfEdited(origin, n.Text())
	parent, err := o.parent(l)
	if err != nil {
		return false
	}
	last := l[len(l)-1]
	slot := last.Index
	if !last.IsIndex {
		slot = o.memberIndex(parent, last.Key) + 1
	}
	if parent.Content[slot] == now || o.origins[parent.Content[slot]] == now { // no alias of it
		o.setOrigin(&n, origin)
	}
	parent.Content[slot] = &n
	if o.strings == nil {
		o.strings = map[*tree.Node]stringEdit{}
	}
	delete(o.strings, now)
	o.strings[&n] = stringEdit{origin: origin, splices: splices}
	return true
}

// chomped returns what a block scalar of Original would keep of a text: no line break at the end,
// or one, or all. Any other scalar keeps all.
func (o *Object) chomped(n *tree.Node, text string) string {
	if o.viewed != nil {
		return o.viewed.chomped(n, text)
	}
	if !isBlockScalar(n) || n.End() == 0 || o.base() == nil {
		return text
	}
	s := splicer{text: asString(o.source())}
	body := strings.TrimRight(text, "\n")
	switch s.chomping(n) {
	case '-':
		return body
	case '+':
		return text
	}
	return text[:min(len(body)+1, len(text))]
}

// setOrigin records the original of a node.
func (o *Object) setOrigin(n, origin *tree.Node) {
	if o.origins == nil {
		o.origins = originMaps.Get().(map[*tree.Node]*tree.Node)
	}
	o.origins[n] = origin
}

// styleOfEdited returns the style of a string that can't be edited in place: its own, or one that
// can hold any text.
func styleOfEdited(origin *tree.Node, value string) tree.Style {
	tagged := origin.Style & tree.TaggedStyle
	switch {
	case origin.Style&(tree.LiteralStyle|tree.FoldedStyle) != 0:
		return tree.LiteralStyle | tagged
	case origin.Style&tree.SingleQuotedStyle != 0 && !strings.Contains(value, "\n"):
		return tree.SingleQuotedStyle | tagged
	case origin.Style == 0 && tree.NewString(value).Style == 0:
		return 0
	}
	return tree.DoubleQuotedStyle | tagged
}

// StringLines returns a function from offsets in the value of the string at a location of Original
// to the lines of the file, from 1; 0 if they are not known.
func (o *Object) StringLines(l location.Location) func(offset int) int {
	n := o.OriginalAt(l)
	begin := o.LineOf(n)
	if n == nil || n.Kind != tree.ScalarNode || o.format == jsonText || o.base() == nil || n.End() == 0 || begin == 0 {
		return func(int) int { return begin }
	}
	text := asString(o.source())
	m := newStringMap(&splicer{text: text}, n, 0)
	counted, line := n.Start(), begin // so that offsets in order take linear time
	return func(offset int) int {
		at := m.at[min(offset, len(m.at)-1)]
		if at < counted {
			counted, line = n.Start(), begin
		}
		line += strings.Count(text[counted:at], "\n")
		counted = at
		return line
	}
}

// editString splices a string that was edited in place, inside a collection that is indented by
// parent. It returns false if it can't.
func (s *splicer) editString(parent int, old, value *tree.Node) ([]Splice, bool) {
	edit, ok := s.strings[value]
	if !ok || edit.origin != old {
		return nil, false
	}
	return newStringMap(s, old, parent).splices(edit.splices, value.Text())
}

// blockString splices a string that is an entry of a block collection. The entry is verified alone,
// since an error would else affect the layout of the whole object.
func (s *splicer) blockString(e blockEntry, value *tree.Node) bool {
	splices, ok := s.editString(s.depth(e), e.value, value)
	if !ok || !s.holdsString(e, splices, value.Text()) {
		return false
	}
	s.splices = append(s.splices, splices...)
	return true
}

// holdsString tells whether an entry has a string as its value with the splices.
func (s *splicer) holdsString(e blockEntry, splices []Splice, want string) bool {
	at, end := e.start, s.end(e)
	for _, p := range splices {
		if p.Start < at || p.End < p.Start || p.End > end {
			return false
		}
		at = p.End
	}
	root, err := tree.Parse(appendSpliced(bytes.Repeat([]byte{' '}, s.depth(e)), s.text[:end], e.start, splices))
	if err != nil || root == nil || len(root.Content) == 0 {
		return false
	}
	n := root.Content[len(root.Content)-1]
	return len(root.Content) <= 2 && n.Text() == want && tree.Type(n) == tree.String
}

// joined joins adjacent splices, so that they are disjoint.
func joined(splices []Splice) []Splice {
	var out []Splice
	for _, p := range splices {
		if n := len(out) - 1; n >= 0 && out[n].End == p.Start {
			out[n].Text, out[n].End = slices.Concat(out[n].Text, p.Text), p.End
			continue
		}
		out = append(out, p)
	}
	return out
}
