package explain

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// shown is how the two texts of one object are shown: with *** for the values of a Secret, by where
// they stand, for what is there wherever else it is, and for parts of it that an edit has
// put elsewhere. The zero shown hides nothing.
type shown struct {
	before, after *tree.Node // nil for a text without a Secret
	mask          redact.Mask
	fragments     redact.Fragments
}

// shownOf also hides the object hash of a Secret, which the annotation holds and which lets a guess
// be checked.
func shownOf(before, after []byte, annotation string) shown {
	s := shown{before: secretRoot(before), after: secretRoot(after)}
	if s.before != nil || s.after != nil {
		s.mask = redact.New(s.before, s.after)
	}
	if s.mask.IsZero() {
		return s
	}
	if s.before != nil {
		s.fragments = redact.New(s.before).Fragments()
	}
	for _, root := range []*tree.Node{s.before, s.after} {
		if tree.IsList(root) && len(root.Content) == 1 { // the text of an item of a list
			root = root.Content[0]
		}
		s.mask = s.mask.With(tree.GetString(root, "metadata", "annotations", annotation))
	}
	return s
}

// lines returns the lines of the texts as they are shown.
func (s shown) lines(before, after []string) (shownBefore, shownAfter []string) {
	if s.mask.IsZero() {
		return before, after
	}
	stays := make(map[string]bool, len(before))
	for _, line := range before {
		stays[line] = true
	}
	redacted := func(lines []string, root *tree.Node) []string {
		out := slices.Clone(lines)
		cuts := map[int]int{}
		for _, l := range s.mask.Hidden() {
			maskPlace(out, lines, cuts, root, l)
		}
		for i, line := range lines {
			if !stays[line] {
				out[i] = s.fragments.Text(out[i])
			}
			out[i] = s.mask.Text(out[i])
		}
		return out
	}
	return redacted(before, s.before), redacted(after, s.after)
}

// object names the object of the second text, whose name an edit may have made of a value.
func (s shown) object(after ObjectName) ObjectName {
	if s.mask.IsZero() || s.before == nil {
		return after
	}
	before := objectOf(report.RefOf(s.before))
	show := func(before, after string) string {
		if before == after {
			return after
		}
		return s.fragments.Text(s.mask.Text(after))
	}
	return ObjectName{
		APIVersion: show(before.APIVersion, after.APIVersion), Kind: show(before.Kind, after.Kind),
		Namespace: show(before.Namespace, after.Namespace), Name: show(before.Name, after.Name),
	}
}

// secretRoot parses a text that may have a Secret in it; nil if it has none.
func secretRoot(text []byte) *tree.Node {
	if !bytes.Contains(text, []byte("Secret")) && !bytes.ContainsRune(text, '\\') {
		return nil
	}
	root, err := tree.Parse(text)
	if err != nil {
		return nil // it was parsed before, so this does not happen
	}
	return root
}

// maskPlace masks all lines of what is at a location: behind the key, where one begins on the
// line, else the whole line. A line stays as it is in cuts, the column from which each is masked,
// where it is masked from further in front.
func maskPlace(out, lines []string, cuts map[int]int, root *tree.Node, l location.Location) {
	if root == nil {
		return
	}
	begin, value := location.Begin(root, l), location.At(root, l)
	if begin == nil || value == nil {
		return
	}
	starts := starts{values: map[int]int{}, keys: map[int]bool{begin.Line(): true}}
	starts.note(value)
	end := lineBehind(root, l, begin.Line(), len(lines)+1)
	for line := begin.Line(); line < end; line++ {
		text := strings.TrimRight(lines[line-1], "\r\n")
		rest := lines[line-1][len(text):]
		column, known := starts.values[line]
		if !known {
			if starts.keys[line] || strings.TrimSpace(text) == "" {
				continue
			}
			column = len(text) - len(strings.TrimLeft(text, " ")) + 1
		}
		if cut, isCut := cuts[line]; isCut && cut <= column {
			continue
		}
		cuts[line] = column
		out[line-1] = firstRunes(text, column-1) + redact.Masked + rest
	}
}

// starts are the lines on which keys begin, and for those on which scalar values begin the column
// of the first.
type starts struct {
	keys   map[int]bool
	values map[int]int
}

func (s starts) note(n *tree.Node) {
	switch n.Kind {
	case tree.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			s.keys[n.Content[i].Line()] = true
			s.note(n.Content[i+1])
		}
	case tree.SequenceNode:
		for _, element := range n.Content {
			s.note(element)
		}
	default:
		if column, known := s.values[n.Line()]; !known || n.Column() < column {
			s.values[n.Line()] = n.Column()
		}
	}
}

// lineBehind returns the line of the first node behind the place at a location that begins on a
// line; last where none follows.
func lineBehind(root *tree.Node, l location.Location, line, last int) int {
	inside := map[*tree.Node]bool{}
	var walk func(n *tree.Node, visit func(n *tree.Node))
	walk = func(n *tree.Node, visit func(n *tree.Node)) {
		visit(n)
		for _, child := range n.Content {
			walk(child, visit)
		}
	}
	walk(location.At(root, l), func(n *tree.Node) { inside[n] = true })
	behind := math.MaxInt
	walk(root, func(n *tree.Node) {
		if !inside[n] && n.Line() > line {
			behind = min(behind, n.Line())
		}
	})
	return min(behind, last)
}

func firstRunes(text string, count int) string {
	at := 0
	for ; count > 0 && at < len(text); count-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return text[:at]
}
