package object

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// checkInline holds the fast writer of scalars against the YAML library.
func checkInline(t *testing.T, n *tree.Node) {
	t.Helper()
	for _, inFlow := range []bool{false, true} {
		fast, ok := inlinePlain(n, inFlow)
		if !ok {
			continue
		}
		slow, ok := style{mapStep: usualStep}.inlineAny(n)
		if inFlow {
			slow, ok = style{mapStep: usualStep}.flowAny(n)
		}
		if !ok || string(slow) != string(fast) {
			t.Errorf("in a flow collection (%v), the library writes %q as %q (%v), the fast writer as %q", inFlow, n.Text(), slow, ok, fast)
		}
	}
}

// FuzzEncodePlain holds the fast writer against the YAML library.
func FuzzEncodePlain(f *testing.F) {
	f.Add("key", "value", true)
	f.Add("a.b/c", "1 field removed: spec.replicas (ignoreFields[0])", false)
	f.Add("y", "0", true)
	f.Add("1e3", "it's: \"so\"", false)
	f.Add("- a", "...", true)
	f.Add("~", "2001-01-01", false)
	f.Add("a: b", "registry.example.com/a:1,b", false)
	f.Add("2001-01-01 10:00:00", "{a} [b] c? #d", false)
	f.Add("'a", "\"a", false)
	f.Add("12:30:45", "... a", false)
	f.Add(strings.Repeat("k", 129), "a long key", false)
	f.Fuzz(func(t *testing.T, key, value string, wide bool) {
		list := &tree.Node{Kind: tree.SequenceNode, Content: []*tree.Node{
			tree.NewString(value),
			{Kind: tree.MappingNode, Content: []*tree.Node{
				tree.NewString(key), tree.NewString(value),
				tree.NewString("list"), {Kind: tree.SequenceNode, Content: []*tree.Node{tree.NewInt(1), tree.NewString(key)}},
			}},
		}}
		root := &tree.Node{Kind: tree.MappingNode, Content: []*tree.Node{tree.NewString(key), list}}
		s := style{mapStep: usualStep}
		if wide {
			s.listStep = usualStep
		}
		for _, quotes := range []tree.Style{0, tree.SingleQuotedStyle, tree.DoubleQuotedStyle} {
			quoted := tree.NewScalar(tree.StringTag, value)
			quoted.Style = quotes
			checkInline(t, quoted)
		}
		for _, text := range []string{key, value} {
			checkInline(t, tree.NewString(text))
			if n, err := tree.Parse([]byte("- " + text)); err == nil && tree.IsList(n) {
				checkInline(t, n.Content[0])
			}
		}
		fast, ok := s.encodePlain(root)
		if !ok {
			return
		}
		slow, err := s.encodeAny(root)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(slow), string(fast)); diff != "" {
			t.Errorf("the library (-) and the fast writer (+) differ:\n%s", diff)
		}
	})
}
