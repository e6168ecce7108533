package object

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FuzzEncodePlain holds the fast writer against the YAML library.
func FuzzEncodePlain(f *testing.F) {
	f.Add("key", "value", true)
	f.Add("a.b/c", "1 field ignored: spec.replicas (ignoreFields[0])", false)
	f.Add("y", "0", true)
	f.Add("1e3", "it's: \"so\"", false)
	f.Add("- a", "...", true)
	f.Add("~", "2001-01-01", false)
	f.Add(strings.Repeat("k", 129), "a long key", false)
	f.Fuzz(func(t *testing.T, key, value string, wide bool) {
		list := &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{
			tree.NewString(value),
			{Kind: yaml.MappingNode, Content: []*yaml.Node{
				tree.NewString(key), tree.NewString(value),
				tree.NewString("list"), {Kind: yaml.SequenceNode, Content: []*yaml.Node{tree.NewInt(1), tree.NewString(key)}},
			}},
		}}
		root := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{tree.NewString(key), list}}
		s := style{}
		if wide {
			s.listStep = usualStep
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
