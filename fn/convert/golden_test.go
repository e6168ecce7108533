package convert

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/manifests"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/process"
	"github.com/krm-fields/krm-fields/fn/report"
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

const testdata = "../../testdata/convert"

// eachCase calls a test for each folder of the test data; its name begins with
// the format of its input.yaml.
func eachCase(t *testing.T, test func(t *testing.T, dir, from string)) {
	inputs, err := filepath.Glob(filepath.Join(testdata, "*", "input.yaml"))
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no cases in %s: %v", testdata, err)
	}
	for _, input := range inputs {
		dir := filepath.Dir(input)
		from, _, _ := strings.Cut(filepath.Base(dir), "-")
		t.Run(filepath.Base(dir), func(t *testing.T) { test(t, dir, from) })
	}
}

// TestGolden converts each input to the other formats. What comes out, after the
// warnings as comments, must be as the golden file has it and be read again by
// its own format.
func TestGolden(t *testing.T) {
	eachCase(t, func(t *testing.T, dir, from string) {
		for _, to := range Formats {
			if to == from {
				continue
			}
			out := mustConvert(t, from, to, readFile(t, filepath.Join(dir, "input.yaml")))
			got := warningLines(out.Results) + text(t, out.Documents)
			golden := filepath.Join(dir, to+".yaml")
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
				t.Errorf("%s differs from the output (-want +got):\n%s", golden, diff)
			}
			checkValid(t, to, out.Documents)
		}
	})
}

// checkValid reads documents by the rules of their own format.
func checkValid(t *testing.T, format string, documents []*yaml.Node) {
	t.Helper()
	for _, root := range reread(t, documents) {
		if format == IgnoreFields {
			if _, faults := ignorefields.Decode(root); len(faults) > 0 {
				t.Errorf("the functionConfig has faults: %v", faults)
			}
		}
		s, ok := reads[format].read(root)
		if !ok || len(s.faults) > 0 || len(s.rules) == 0 {
			t.Errorf("%s does not read its own output: %v %+v", format, ok, s)
		}
	}
}

// TestRoundTrip converts what an input says to each of the other formats and
// back. Where nothing was lost on the way, the functionConfig must do the same to
// the objects as that of the input.
func TestRoundTrip(t *testing.T) {
	trips := map[string]int{}
	eachCase(t, func(t *testing.T, dir, from string) {
		input := readFile(t, filepath.Join(dir, "input.yaml"))
		direct := input
		if from != IgnoreFields {
			direct = documentsOf(mustConvert(t, from, IgnoreFields, input).Documents)
		}
		for _, through := range Formats {
			if through == IgnoreFields || len(direct) == 0 {
				continue
			}
			there := mustConvert(t, IgnoreFields, through, direct)
			if len(there.Results) > 0 {
				continue
			}
			trips[through]++
			back := mustConvert(t, through, IgnoreFields, documentsOf(there.Documents))
			for i := range direct {
				want, got := stripped(t, direct[i].Root()), stripped(t, back.Documents[i])
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("through %s another config came back (-want +got):\n%s", through, diff)
				}
			}
		}
	})
	for _, format := range []string{ArgoCD, OCM, Flux} {
		if trips[format] < 2 {
			t.Errorf("only %d round trips through %s lost nothing, which proves little", trips[format], format)
		}
	}
}

// stripped runs a functionConfig over the objects and returns what comes out.
func stripped(t *testing.T, config *yaml.Node) string {
	t.Helper()
	config = tree.Copy(config)
	// The hash says nothing, and an expression that finds nothing is fine.
	hash := newMapping()
	hash.add("emit", tree.FromValue(false))
	m := mapping{config}
	if tree.GetString(config, "kind") == ignorefields.Kind {
		m.add("objectHash", hash.node)
		m.text("onNoMatch", "Ignore")
	} else {
		mapping{tree.Get(config, "data")}.text("objectHash", "false")
	}
	files, err := manifests.Read([]string{filepath.Join(testdata, "objects.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	items, results := process.Items(config, manifests.Objects(files))
	if process.HasError(results) {
		t.Fatalf("the config fails: %v\n%s", results, text(t, []*yaml.Node{config}))
	}
	if len(results) == 0 {
		t.Errorf("the config finds nothing in the objects, which proves nothing:\n%s", text(t, []*yaml.Node{config}))
	}
	var out strings.Builder
	if err := manifests.WriteStream(&out, items); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func readFile(t *testing.T, path string) []*object.Object {
	t.Helper()
	files, err := manifests.Read([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return manifests.Objects(files)
}

func mustConvert(t *testing.T, from, to string, objects []*object.Object) Outcome {
	t.Helper()
	out, err := Convert(from, to, objects)
	if err != nil {
		t.Fatal(err)
	}
	if process.HasError(out.Results) {
		t.Fatalf("%s to %s: %v", from, to, out.Results)
	}
	return out
}

func documentsOf(roots []*yaml.Node) []*object.Object {
	objects := make([]*object.Object, len(roots))
	for i, root := range roots {
		objects[i] = object.NewDocument(root)
	}
	return objects
}

// reread writes documents and parses them again.
func reread(t *testing.T, documents []*yaml.Node) []*yaml.Node {
	t.Helper()
	var roots []*yaml.Node
	for _, document := range documents {
		root, err := tree.Parse([]byte(text(t, []*yaml.Node{document})))
		if err != nil {
			t.Fatal(err)
		}
		if !tree.Equal(root, document) {
			t.Errorf("the text has other data than the document")
		}
		roots = append(roots, root)
	}
	return roots
}

func text(t *testing.T, documents []*yaml.Node) string {
	t.Helper()
	var out strings.Builder
	if err := manifests.WriteStream(&out, documentsOf(documents)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func warningLines(results []report.Result) string {
	var out strings.Builder
	for _, result := range results {
		out.WriteString("# " + result.Severity + ": " + result.Message + "\n")
	}
	return out.String()
}
