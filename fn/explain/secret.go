package explain

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/tree"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
)

// masked returns the lines of two texts of one object with *** for the values of
// a Secret: by where they stand, and what stands there wherever else it stands.
// So is the object hash of a Secret, which lets a guess be checked.
func masked(before, after []byte, a, b []string, annotation string) (maskedBefore, maskedAfter []string) {
	roots := [2]*yaml.Node{secretRoot(before), secretRoot(after)}
	if roots[0] == nil && roots[1] == nil {
		return a, b
	}
	mask := redact.New(roots[0], roots[1])
	if mask.IsZero() {
		return a, b
	}
	for _, root := range roots {
		mask = mask.With(tree.GetString(root, "metadata", "annotations", annotation))
	}
	return maskLines(a, roots[0], mask), maskLines(b, roots[1], mask)
}

// secretRoot parses a text that may have a Secret in it; nil where it has none.
func secretRoot(text []byte) *yaml.Node {
	if !hasWord(text, "Secret") && !bytes.ContainsRune(text, '\\') {
		return nil
	}
	root, err := tree.Parse(text)
	if err != nil {
		return nil // it was parsed before, so this does not happen
	}
	return root
}

// hasWord tells whether a word stands in a text with no letter on either side.
func hasWord(text []byte, word string) bool {
	for at := 0; ; at += len(word) {
		i := bytes.Index(text[at:], []byte(word))
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRune(text[:at])
		after, _ := utf8.DecodeRune(text[at+len(word):])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return true
		}
	}
}

// maskLines masks the lines of the text that root was parsed from.
func maskLines(lines []string, root *yaml.Node, mask redact.Mask) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = mask.Text(line)
	}
	for _, l := range redact.New(root).Hidden() {
		maskPlace(out, lines, root, l)
	}
	return out
}

// maskPlace masks all lines of what stands at a location: behind the key, where
// one begins on the line, else the whole line.
func maskPlace(out, lines []string, root *yaml.Node, l locate.Location) {
	begin, value := locate.Begin(root, l), locate.At(root, l)
	if begin == nil || value == nil {
		return
	}
	starts := starts{values: map[int]int{}, keys: map[int]bool{begin.Line: true}}
	starts.note(value)
	end := lineBehind(root, l, begin.Line, len(lines)+1)
	for line := begin.Line; line < end; line++ {
		text := strings.TrimRight(lines[line-1], "\r\n")
		rest := lines[line-1][len(text):]
		column, known := starts.values[line]
		switch {
		case known:
			out[line-1] = firstRunes(text, column-1) + redact.Masked + rest
		case starts.keys[line] || strings.TrimSpace(text) == "":
		default:
			out[line-1] = text[:len(text)-len(strings.TrimLeft(text, " "))] + redact.Masked + rest
		}
	}
}

// starts are the lines on which keys begin, and for those on which scalar values
// begin the column of the first.
type starts struct {
	keys   map[int]bool
	values map[int]int
}

func (s starts) note(n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			s.keys[n.Content[i].Line] = true
			s.note(n.Content[i+1])
		}
	case yaml.SequenceNode:
		for _, element := range n.Content {
			s.note(element)
		}
	default:
		if column, known := s.values[n.Line]; !known || n.Column < column {
			s.values[n.Line] = n.Column
		}
	}
}

// lineBehind returns the line of the first node behind the place at a location
// that begins on a line; last where none follows.
func lineBehind(root *yaml.Node, l locate.Location, line, last int) int {
	inside := map[*yaml.Node]bool{}
	var walk func(n *yaml.Node, visit func(n *yaml.Node))
	walk = func(n *yaml.Node, visit func(n *yaml.Node)) {
		visit(n)
		for _, child := range n.Content {
			walk(child, visit)
		}
	}
	walk(locate.At(root, l), func(n *yaml.Node) { inside[n] = true })
	behind := math.MaxInt
	walk(root, func(n *yaml.Node) {
		if !inside[n] && n.Line > line {
			behind = min(behind, n.Line)
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
