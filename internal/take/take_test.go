package take_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/tree"
	"github.com/krm-fields/krm-fields/internal/take"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing")

// TestTake runs the cases of testdata. A case has the object of the package (ours.yaml), the live one (live.yaml), the
// JSON Pointers that are resolved in both (pointers) and the merge keys of lists (keys: a pointer and the names), and
// what comes out: the object (out.yaml) and the changes (changes), or the error.
func TestTake(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("there must be cases in testdata, found %d, %v", len(cases), err)
	}
	for _, path := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := string(txtar.Format(archive))
			archive.Files = slices.DeleteFunc(archive.Files, isOutput)
			archive.Files = append(archive.Files, outputs(t, archive)...)
			got := string(txtar.Format(archive))
			if *update {
				writeFile(t, path, got)
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}

func isOutput(f txtar.File) bool {
	return f.Name == "out.yaml" || f.Name == "changes" || f.Name == "error"
}

func outputs(t *testing.T, archive *txtar.Archive) []txtar.File {
	ours, err := object.ParseDocument(section(archive, "ours.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	live, err := tree.Parse(section(archive, "live.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	keys := mergeKeys(string(section(archive, "keys")))
	in := take.Input{
		Ours: ours.Root(), Live: live,
		Keys: func(l locate.Location) []take.MergeKey { return keys[l.Pointer()] },
		IsKept: func(l locate.Location) bool {
			return strings.HasPrefix(l.Pointer(), "/metadata/annotations/") && strings.HasPrefix(l[2].Key, "host/")
		},
	}
	for i, pointer := range strings.Fields(string(section(archive, "pointers"))) {
		in.InOurs = append(in.InOurs, find(t, pointer, in.Ours, i)...)
		in.InLive = append(in.InLive, find(t, pointer, in.Live, i)...)
	}
	outcome, err := take.Compare(in)
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

func find(t *testing.T, text string, root *yaml.Node, by int) []take.Named {
	pointer, err := locate.ParseJSONPointer(text)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pointer.Locate(&locate.Input{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	var all []take.Named
	for _, l := range found.Locations {
		all = append(all, take.Named{At: l, By: by})
	}
	return all
}

func changes(t *testing.T, outcome take.Outcome) []byte {
	var b strings.Builder
	for _, c := range outcome.Changes {
		fmt.Fprintf(&b, "%d %s: %s -> %s\n", c.By, c.At, jsonOf(t, c.Old), jsonOf(t, c.New))
	}
	return []byte(b.String())
}

func jsonOf(t *testing.T, n *yaml.Node) string {
	if n == nil {
		return "nothing"
	}
	text, err := tree.MarshalJSON(n)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func mergeKeys(text string) map[string][]take.MergeKey {
	all := map[string][]take.MergeKey{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		for _, field := range fields[1:] {
			name, value, hasDefault := strings.Cut(field, "=")
			key := take.MergeKey{Name: name}
			if hasDefault {
				key.Default = tree.NewString(value)
			}
			all[fields[0]] = append(all[fields[0]], key)
		}
	}
	return all
}

func section(archive *txtar.Archive, name string) []byte {
	for _, f := range archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func writeFile(t *testing.T, path, text string) {
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
