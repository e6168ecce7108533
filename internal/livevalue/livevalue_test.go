package livevalue_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/livevalue"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestTake runs the cases of testdata. A case has the object of the package (ours.yaml), the live
// one (live.yaml), the JSON Pointers that are resolved in both (pointers) and the merge keys of
// lists (keys: a pointer and the names), and what comes out: the object (out.yaml) and the changes
// (changes), or the error.
func TestTake(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		t.Parallel()
		c.Expect(t, []string{"ours.yaml", "live.yaml", "pointers", "keys"}, outputs(t, c)...)
	})
}

func outputs(t *testing.T, c *golden.Case) []txtar.File {
	ours, err := object.ParseDocument(c.File("ours.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	live, err := tree.Parse(c.File("live.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	keys := mergeKeys(string(c.File("keys")))
	in := livevalue.Input{
		Ours: ours.Root(), Live: live,
		Keys: func(l location.Location) listkey.Key { return keys[l.Pointer()] },
		IsKept: func(l location.Location) bool {
			return strings.HasPrefix(l.Pointer(), "/metadata/annotations/") && strings.HasPrefix(l[2].Key, "host/")
		},
	}
	for i, pointer := range strings.Fields(string(c.File("pointers"))) {
		in.InOurs = append(in.InOurs, find(t, pointer, in.Ours, i)...)
		in.InLive = append(in.InLive, find(t, pointer, in.Live, i)...)
	}
	outcome, err := livevalue.Compare(in)
	if err != nil {
		return []txtar.File{{Name: "error", Data: []byte(err.Error() + "\n")}}
	}
	if err := outcome.Apply(ours); err != nil {
		t.Fatal(err)
	}
	text, err := ours.Text()
	if err != nil {
		t.Fatal(err)
	}
	return []txtar.File{{Name: "out.yaml", Data: text}, {Name: "changes", Data: changes(t, outcome)}}
}

func find(t *testing.T, text string, root *tree.Node, by int) []livevalue.Named {
	pointer, err := jsonpointer.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pointer.Locate(&expr.Input{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	var all []livevalue.Named
	for _, l := range found.Locations {
		all = append(all, livevalue.Named{At: l, By: by})
	}
	return all
}

func changes(t *testing.T, outcome livevalue.ChangeSet) []byte {
	var b strings.Builder
	for _, c := range outcome.Changes {
		fmt.Fprintf(&b, "%d %s: %s -> %s\n", c.By, c.At, jsonOf(t, c.Old), jsonOf(t, c.New))
	}
	return []byte(b.String())
}

func jsonOf(t *testing.T, n *tree.Node) string {
	if n == nil {
		return "nothing"
	}
	text, err := tree.MarshalJSON(n)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func mergeKeys(text string) map[string]listkey.Key {
	all := map[string]listkey.Key{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		for _, field := range fields[1:] {
			name, value, hasDefault := strings.Cut(field, "=")
			key := listkey.Part{At: location.Location{location.Key(name)}}
			if hasDefault {
				key.Default = tree.NewString(value)
			}
			all[fields[0]] = append(all[fields[0]], key)
		}
	}
	return all
}
