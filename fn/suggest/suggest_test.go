package suggest

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/manifests"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/process"
	"github.com/krm-fields/krm-fields/fn/tree"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) {
	if jq.IsChild() {
		jq.ChildMain()
		return
	}
	code := m.Run()
	jq.Shutdown()
	os.Exit(code)
}

const testdata = "../../testdata/suggest"

var options = Options{Name: "owned-by-others", FieldManager: "kpt"}

// TestGolden compares desired.yaml with live.yaml in each folder. The notes and
// the configuration must be as want.yaml has them, and the configuration, read
// from its text, must leave of the package only what the cluster has.
func TestGolden(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join(testdata, "*", "desired.yaml"))
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases in %s: %v", testdata, err)
	}
	for _, path := range cases {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			desired, live := read(t, path), read(t, filepath.Join(dir, "live.yaml"))
			out, err := Suggest(desired, live, options)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if out.Config != nil {
				got = text(t, object.NewDocument(out.Config))
			} else {
				for _, result := range out.Results {
					got += "# " + result.Line() + "\n"
				}
			}
			golden := filepath.Join(dir, "want.yaml")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", golden, diff)
			}
			if out.Config != nil {
				checkGone(t, got, path, live)
			}
		})
	}
}

// aheadOf are the fields in the test data in which the package has changed, by
// the name of the object.
var aheadOf = map[string]locate.Location{
	"one": {locate.Key("spec"), locate.Key("port")},
}

// checkGone runs the configuration, and compares what it leaves with the cluster
// in a way of its own: each list element must be a part of some element there.
func checkGone(t *testing.T, config, path string, live []*object.Object) {
	t.Helper()
	root, err := tree.Parse([]byte(config))
	if err != nil {
		t.Fatal(err)
	}
	if _, faults := ignorefields.Decode(root); len(faults) > 0 {
		t.Fatalf("the configuration has faults: %v", faults)
	}
	before := differing(read(t, path), live)
	items, results := process.Items(root, read(t, path))
	if process.HasError(results) {
		t.Fatalf("the configuration fails: %v", results)
	}
	after := differing(items, live)
	if len(before) == 0 || len(after) > 0 {
		t.Errorf("before the configuration differ %q, after it %q", before, after)
	}
}

// differing returns the objects that are no part of the live ones.
func differing(items, live []*object.Object) []string {
	var names []string
	for _, item := range items {
		for _, l := range live {
			if match.Of(item.Root()).Identity("") != match.Of(l.Root()).Identity("") {
				continue
			}
			o := object.NewDocument(tree.Copy(item.Root()))
			name := tree.GetString(o.Root(), "metadata", "name")
			if at, ok := aheadOf[name]; ok {
				o.Remove([]locate.Location{at})
			}
			if !isPart(o.Root(), l.Root(), nil) {
				names = append(names, name)
			}
		}
	}
	return names
}

func isPart(a, b *yaml.Node, at locate.Location) bool {
	switch {
	case tree.IsMap(a):
		for key, value := range tree.Entries(a) {
			inner := at.With(locate.Key(key))
			switch there := tree.Lookup(b, key); {
			case isLeftOut(inner) || isNothing(value) && isNothingOrMissing(there):
			case key == "stringData" && len(at) == 0:
				if key := tree.Get(value, "same"); key == nil || len(value.Content) != 2 {
					return false
				}
			case there == nil && tree.IsMap(value):
				if !isPart(value, &yaml.Node{Kind: yaml.MappingNode}, inner) {
					return false
				}
			case there == nil || !isPart(value, there, inner):
				return false
			}
		}
		return true
	case tree.IsList(a):
		for i, element := range tree.Elements(a) {
			found := false
			for _, other := range tree.Elements(b) {
				found = found || isPart(element, other, at.With(locate.Index(i)))
			}
			if !found {
				return false
			}
		}
		return true
	}
	return tree.Equal(a, b) || isQuantityField(at) && sameQuantity(a, b)
}

func isNothingOrMissing(n *yaml.Node) bool { return n == nil || isNothing(n) }

func read(t *testing.T, path string) []*object.Object {
	t.Helper()
	files, err := manifests.Read([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return manifests.Objects(files)
}

func text(t *testing.T, o *object.Object) string {
	t.Helper()
	var out strings.Builder
	if err := manifests.WriteStream(&out, []*object.Object{o}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestProof changes a good suggestion, which must fail its test then.
func TestProof(t *testing.T) {
	dir := filepath.Join(testdata, "one-of-two")
	desired, live := read(t, filepath.Join(dir, "desired.yaml")), read(t, filepath.Join(dir, "live.yaml"))
	for name, change := range map[string][2]string{
		"a field too many":  {"- /spec/replicas", "- /spec/replicas\n  - /spec/paused"},
		"another field":     {"/spec/replicas", "/spec/paused"},
		"an object less":    {"name: api", "name: nobody"},
		"a syntax error":    {"/spec/replicas", "spec/replicas"},
		"no field is found": {"/spec/replicas", "/spec/replica"},
	} {
		out, err := Suggest(desired, live, options)
		if err != nil {
			t.Fatal(err)
		}
		good := text(t, object.NewDocument(out.Config))
		bad, err := tree.Parse([]byte(strings.Replace(good, change[0], change[1], 1)))
		if err != nil {
			t.Fatal(err)
		}
		pairs, _ := pair(desired, live)
		for _, p := range pairs {
			p.compare(options.FieldManager)
		}
		if err := prove(bad, pairs, options.FieldManager); err == nil {
			t.Errorf("%s: the suggestion passes its test", name)
		} else if _, ok := errors.AsType[*ProofError](err); !ok {
			t.Errorf("%s: got %v, want a ProofError", name, err)
		}
		if good, err := tree.Parse([]byte(good)); err != nil || prove(good, pairs, options.FieldManager) != nil {
			t.Errorf("the good suggestion does not pass: %v", err)
		}
	}
}
