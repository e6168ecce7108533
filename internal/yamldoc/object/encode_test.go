package object

import (
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FuzzEncode writes strings, with any style, as keys, values and elements, in block and flow style:
// what is written must be the same data.
func FuzzEncode(f *testing.F) {
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
	f.Add("a\nb", "one\n\ntwo\n three\n\n", true)
	f.Add("\u2028", " a\n\tb", false)
	f.Fuzz(func(t *testing.T, key, value string, wide bool) {
		s := style{mapStep: usualStep}
		if wide {
			s.listStep = usualStep
		}
		for _, quotes := range []tree.Style{0, tree.SingleQuotedStyle, tree.DoubleQuotedStyle, tree.LiteralStyle, tree.FoldedStyle} {
			v := tree.NewString(value)
			if v.Tag != tree.StringTag || tree.NewString(key).Tag != tree.StringTag {
				return // binary data
			}
			if quotes != 0 {
				v.Style = quotes
			}
			for _, flow := range []tree.Style{0, tree.FlowStyle} {
				list := tree.NewList(v, tree.NewMap(key, v, "list", tree.NewList(tree.NewInt(1), tree.NewString(key), tree.NewMap(), v)))
				list.Style = flow
				root := tree.NewMap("a", list, "b", v)
				text := s.encode(root)
				if got, err := tree.Parse(text); err != nil || !tree.Same(got, root) {
					t.Fatalf("%q and %q of style %d must stay the same data: %v\n%s", key, value, quotes, err, text)
				}
			}
		}
	})
}
