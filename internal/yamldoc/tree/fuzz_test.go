package tree

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"
)

// ignoreComments leaves out of a comparison what the fast reader does not read.
var ignoreComments = cmp.Options{
	cmpopts.IgnoreFields(yaml.Node{}, "HeadComment", "LineComment", "FootComment"),
	cmpopts.EquateEmpty(),
}

// readWithYAMLv3 reads the root of the one document of text that is not empty, which read is held
// against.
func readWithYAMLv3(text string) (root *Node, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			root, err = nil, fmt.Errorf("%v", cause)
		}
	}()
	return decodeOne(text, 1)
}

// checkBlock fails the test where read takes text and does not read it as yaml.v3 does. It
// tells whether read takes it.
func checkBlock(t *testing.T, text string) bool {
	t.Helper()
	got, _ := read(text, &slab{}, maxNodes(len(text)))
	if got == nil {
		return false
	}
	want, err := readWithYAMLv3(text)
	if err != nil {
		t.Fatalf("read took what yaml.v3 refuses: %v\n%s", err, text)
	}
	if err := checkLimits(want, false); err != nil {
		t.Fatalf("read took what Parse must refuse: %v\n%s", err, text)
	}
	if !(comparison{}).identical(want, got) {
		diff := cmp.Diff(ToLibrary(want), ToLibrary(got), ignoreComments)
		t.Fatalf("read and yaml.v3 differ (-yaml.v3 +read):\n%s\n%s", diff, text)
	}
	checkPlaces(t, text, got, -1)
	return true
}

// checkPlaces fails the test where the ends of nodes, which yaml.v3 does not know, or the pieces of
// scalars are wrong. The column of the block collection around n is parent.
func checkPlaces(t *testing.T, text string, n *Node, parent int) {
	t.Helper()
	at := n.Start()
	switch n.Kind {
	case ScalarNode:
		value := ""
		for _, piece := range Pieces(text, n, parent, false) {
			if piece.Start < at || piece.End < piece.Start || piece.End > n.End() {
				t.Fatalf("the piece %+v must be between %d and %d\n%s", piece, at, n.End(), text)
			}
			value += piece.Value
			at = piece.End
		}
		if value != n.Text() {
			t.Fatalf("the pieces make %q, want %q\n%s", value, n.Text(), text)
		}
	case MappingNode, SequenceNode:
		if n.Style&FlowStyle == 0 {
			parent = ContentStart(text, n)
			parent -= strings.LastIndexByte(text[:parent], '\n') + 1
			if strings.HasPrefix(text, "\ufeff") && !strings.Contains(text[:n.Start()], "\n") {
				parent -= len("\ufeff")
			}
		}
	}
	for _, child := range n.Content {
		if child.Start() < at {
			t.Fatalf("%q must begin at %d, not %d\n%s", child.Text(), at, child.Start(), text)
		}
		checkPlaces(t, text, child, parent)
		at = child.End()
	}
	if at > n.End() {
		t.Fatalf("a node must end at %d or behind, not at %d\n%s", at, n.End(), text)
	}
}

// comparison has the anchored nodes of one tree, and those in their places of another.
type comparison map[*Node]*Node

// identical tells whether two trees are the same except their comments. go-cmp takes time
// exponential in the depth.
func (c comparison) identical(a, b *Node) bool {
	if a.Anchor() != "" {
		c[a] = b
	}
	return a.Kind == b.Kind && a.TagName() == b.TagName() && a.Text() == b.Text() && a.Style == b.Style &&
		a.Line() == b.Line() && a.Start() == b.Start() &&
		a.Anchor() == b.Anchor() && c[a.Alias()] == b.Alias() && slices.EqualFunc(a.Content, b.Content, c.identical)
}

// checkParse fails the test where Parse panics, or gives another error than a *SyntaxError with a
// line, or other nodes than yaml.v3.
func checkParse(t *testing.T, text string) {
	t.Helper()
	n, err := Parse([]byte(text))
	other, otherErr := parseByLibrary(text)
	if (err == nil) != (otherErr == nil) {
		t.Fatalf("Parse and yaml.v3 must agree, got %v and %v\n%s", err, otherErr, text)
	}
	if err != nil {
		if syntax, ok := errors.AsType[*SyntaxError](err); !ok || syntax.Line < 1 || syntax.Reason == "" {
			t.Fatalf("an error must be a *SyntaxError with a line, got %#v\n%s", err, text)
		}
		return
	}
	if !Same(n, other) {
		t.Fatalf("Parse and yaml.v3 must give the same nodes\n%s", text)
	}
	if !Equal(n, Copy(n)) {
		t.Fatalf("a copy must be equal\n%s", text)
	}
	Value(n)
}

func FuzzParse(f *testing.F) {
	for _, text := range manifests(f) {
		f.Add(text)
	}
	for _, text := range slices.Concat(blockTexts, otherTexts) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkBlock(t, text)
		checkParse(t, text)
	})
}

// fragments are the words that FuzzParseFragments makes texts of: each byte of its input is one, so
// that small changes of it reach every rule of the reader.
var fragments = []string{
	"\n", "\n", "\n  ", "\n    ", "\n ", " ", "  ", "- ", "-", "a", "b", "a: ", "b: ", "c:", ":", ": ", "é", "é: ",
	"# ", " # c", "#",
	"|", ">", "|-", ">+", "|2", "\"", "\"a\"", "\"b\": ", "'", "'a'", "''", "\\", "\\n", "\\u00e9", "[", "]", "{",
	"}", ", ", ",", "[]", "{}",
	"1", "0x1", "1.5", "true", "~", "2024-01-02", "<<", "\t", "?", "? ", "!", "!!str ", "&a ", "*a", "%", "@",
	"---", "...", "\n---\n", "=", ".",
	"&a", "&b ", "*a ", "*b", "<<: ", "a: &a ", "a: *a", "\n  *a\n", "\\\n ", "\n    b", ",\n  ", "\n   ]", "\n  }", "[\n   ", "\"\n ", "'\n  ",
	"\r\n", "\u2028", "\ufeff", "\x00", "a: |\n  b\n", "a: >\n  b\n", "\n  - ", "\n- ", "\na: ", "\nb:\n  ",
}

func FuzzParseFragments(f *testing.F) {
	f.Add([]byte{11, 9, 0, 12, 10})
	f.Fuzz(func(t *testing.T, choices []byte) {
		var text strings.Builder
		for _, c := range choices {
			text.WriteString(fragments[int(c)%len(fragments)])
		}
		checkBlock(t, text.String())
		checkParse(t, text.String())
	})
}
