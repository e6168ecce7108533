package managedfields

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestSurveyIsOfTheSets holds that the walk in place finds whether the sets of two entries have
// something in common, in every live object of the tests and examples.
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

// compareSurvey compares with the sets, and returns 1 if they have something in common.
func compareSurvey(t *testing.T, file string, root *tree.Node) int {
	t.Helper()
	entries, _ := Of(root)
	shared := 0
	for i, a := range entries {
		for _, b := range entries[:i] {
			if a.Subresource == "status" || b.Subresource == "status" {
				continue
			}
			for p := range a.fields.Intersection(b.fields).Leaves().All() {
				if last := p[len(p)-1]; last.Value == nil && last.Index == nil && isWhole(a.fields, p) && isWhole(b.fields, p) {
					shared = 1
				}
			}
		}
	}
	if SurveyOf(root).IsShared != (shared > 0) {
		t.Errorf("%s: found %t, want %t", file, SurveyOf(root).IsShared, shared > 0)
	}
	return shared
}

// isWhole tells whether a set has nothing in the member at a path.
func isWhole(set *fieldpath.Set, p fieldpath.Path) bool {
	for _, element := range p {
		set = set.WithPrefix(element)
	}
	return set.Empty()
}
