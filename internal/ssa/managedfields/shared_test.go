package managedfields

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestSurveyIsOfTheSets holds that what the walk in place finds is what the sets of two entries
// have in common, in every live object of the tests and examples.
func TestSurveyIsOfTheSets(t *testing.T) {
	t.Parallel()
	objects, shared := 0, 0
	for _, folder := range []string{"../../../testdata", "../../../examples"} {
		for _, pattern := range []string{"*/*", "*/*/*", "*/*/*/*"} {
			files, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil || !bytes.Contains(text, []byte("fieldsV1")) {
					continue
				}
				for _, root := range liveIn(text) {
					objects++
					shared += compareSurvey(t, file, root)
				}
			}
		}
	}
	if objects < 20 || shared < 5 {
		t.Errorf("there must be objects with shared fields, found %d with %d", objects, shared)
	}
}

// liveIn returns the objects with managedFields in a text, as far as it is YAML.
func liveIn(text []byte) []*tree.Node {
	var all []*tree.Node
	for part := range strings.SplitSeq(string(text), "\n-- ") {
		_, part, _ = strings.Cut(part, "--\n")
		for document := range strings.SplitSeq(part, "\n---\n") {
			root, err := tree.Parse([]byte(document))
			for _, o := range append(tree.Elements(tree.Get(root, "items")), root) {
				if err == nil && tree.Get(o, "metadata", "managedFields") != nil {
					all = append(all, o)
				}
			}
		}
	}
	return all
}

// compareSurvey compares the paths, and returns how many there are.
func compareSurvey(t *testing.T, file string, root *tree.Node) int {
	t.Helper()
	entries := Of(root)
	want := fieldpath.NewSet()
	isKey := func(p fieldpath.Path) bool {
		last := p[len(p)-1]
		if len(p) < 2 || p[len(p)-2].Key == nil || last.FieldName == nil {
			return false
		}
		for _, k := range *p[len(p)-2].Key {
			if k.Name == *last.FieldName {
				return true
			}
		}
		return false
	}
	for i, a := range entries {
		for _, b := range entries[:i] {
			isSame := a.Manager == b.Manager || a.isApplier() && b.isTakenOver(a.Manager) || b.isApplier() && a.isTakenOver(b.Manager)
			if isSame || a.Subresource == "status" || b.Subresource == "status" {
				continue
			}
			for p := range a.fields.Intersection(b.fields).Leaves().All() {
				if inner := a.fields.WithPrefix(p[0]); inner != nil && !isKey(p) && isWhole(a.fields, p) && isWhole(b.fields, p) {
					want.Insert(p.Copy())
				}
			}
		}
	}
	var paths, found []string
	for p := range want.All() {
		paths = append(paths, p.String())
	}
	for _, s := range SurveyOf(root).Shared {
		found = append(found, s.Path)
	}
	slices.Sort(paths)
	slices.Sort(found)
	if !slices.Equal(paths, found) {
		t.Errorf("%s: found %q, want %q", file, found, paths)
	}
	return len(found)
}

// isWhole tells whether a set has nothing in the member at a path.
func isWhole(set *fieldpath.Set, p fieldpath.Path) bool {
	for _, element := range p {
		set = set.WithPrefix(element)
	}
	return set.Empty()
}

func TestSurveyOfAtomicLists(t *testing.T) {
	root, err := tree.Parse([]byte(`
metadata:
  managedFields:
  - {manager: a, operation: Apply, fieldsV1: {"f:spec": {"f:tolerations": {}, "f:replicas": {}, "f:list": {'k:{"name":"x"}': {".": {}, "f:name": {}, "f:args": {}}}}}}
  - {manager: b, operation: Update, fieldsV1: {"f:spec": {"f:tolerations": {}, "f:replicas": {}, "f:list": {'k:{"name":"x"}': {".": {}, "f:name": {}, "f:args": {}}}}}}
  - {manager: b, operation: Update, subresource: status, fieldsV1: {"f:spec": {"f:replicas": {}}}}
spec: {tolerations: [{key: a}], replicas: 1, list: [{name: y}, {name: x, args: [-v]}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range SurveyOf(root).Shared {
		got = append(got, s.Path+map[bool]string{true: " whole"}[s.IsWhole])
	}
	if want := []string{".spec.tolerations whole", ".spec.replicas", `.spec.list[name="x"].args whole`}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
