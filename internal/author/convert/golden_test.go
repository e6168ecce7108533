package convert

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const testdata = "../../../testdata/convert"

// eachCase calls a test for each case of the test data; its name begins with the format of its
// input.yaml.
func eachCase(t *testing.T, test func(t *testing.T, c *golden.Case, from string, input []*object.Object)) {
	golden.Run(t, testdata+"/*.txtar", func(t *testing.T, c *golden.Case) {
		from, _, _ := strings.Cut(c.Name, "-")
		test(t, c, from, parse(t, from, c.File("input.yaml")))
	})
}

// TestGolden converts each input to the other formats. What comes out, after the warnings as
// comments, must be as the case has it and be read again by its own format.
func TestGolden(t *testing.T) {
	eachCase(t, func(t *testing.T, c *golden.Case, from string, input []*object.Object) {
		var got []txtar.File
		for _, to := range TargetNames {
			if to == from || to == toArgoAnnotations.Name || to == toAdmissionPolicy.Name {
				continue
			}
			out := mustConvert(t, from, to, input)
			got = append(got, txtar.File{Name: to + ".yaml", Data: []byte(warningLines(out.Results) + text(t, out.Documents))})
			checkValid(t, to, out.Documents)
		}
		c.Expect(t, []string{"input.yaml"}, got...)
	})
}

// checkValid reads documents by the rules of their own format.
func checkValid(t *testing.T, format string, documents []*object.Object) {
	t.Helper()
	for _, o := range reread(t, documents) {
		if format == toIgnoreFields.Name {
			if _, faults := ignorefields.Decode(o.Root()); len(faults) > 0 {
				t.Errorf("the functionConfig has faults: %v", faults)
			}
		}
		read := Sources[slices.Index(SourceNames, format)].read(o.Root())
		if len(read) != 1 || len(read[0].faults) > 0 || len(read[0].rules) == 0 {
			t.Errorf("%s does not read its own output: %+v", format, read)
		}
	}
}

// TestRoundTrip converts what an input says to each of the other formats and back. Where nothing
// was lost on the way, the functionConfig must do the same to the objects as that of the input.
func TestRoundTrip(t *testing.T) {
	trips := map[string]int{}
	eachCase(t, func(t *testing.T, _ *golden.Case, from string, input []*object.Object) {
		direct := input
		if from != toIgnoreFields.Name {
			direct = mustConvert(t, from, "ignorefields", input).Documents
		}
		for _, through := range TargetNames {
			if through == toIgnoreFields.Name || through == toArgoAnnotations.Name || through == toAdmissionPolicy.Name || len(direct) == 0 {
				continue
			}
			there := mustConvert(t, "ignorefields", through, direct)
			if len(there.Results) > 0 {
				continue
			}
			back := mustConvert(t, through, "ignorefields", there.Documents)
			if strings.Contains(text(t, back.Documents), "is guessed from the resource") {
				continue // and may be another kind
			}
			trips[through]++
			for i := range direct {
				want, got := stripped(t, direct[i].Root()), stripped(t, back.Documents[i].Root())
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("through %s another config came back (-want +got):\n%s", through, diff)
				}
			}
		}
	})
	for _, format := range []string{"argocd", "ocm", "flux"} {
		if trips[format] < 2 {
			t.Errorf("only %d round trips through %s lost nothing, which proves little", trips[format], format)
		}
	}
}

// withoutManagers returns a copy without the rules that need live objects.
func withoutManagers(config *tree.Node) *tree.Node {
	config = tree.Copy(config)
	if list := tree.Get(config, "ignoreFields"); list != nil {
		list.Content = slices.DeleteFunc(list.Content, func(rule *tree.Node) bool { return tree.Get(rule, "managedFieldsManagers") != nil })
		if len(list.Content) == 0 {
			list.Content = append(list.Content, tree.FromValue(map[string]any{"jsonPointers": []any{"/nothing"}}))
		}
	}
	return config
}

// stripped runs a functionConfig over the objects and returns what comes out.
func stripped(t *testing.T, config *tree.Node) string {
	t.Helper()
	config = withoutManagers(config)
	// The hash says nothing, and an expression that finds nothing is fine.
	if tree.GetString(config, "kind") == ignorefields.Kind {
		replace(config, "objectHash", tree.NewMap("emit", tree.FromValue(false)))
		replace(config, "onNoMatch", tree.NewString("Ignore"))
		replace(config, "jq", tree.FromValue(map[string]any{"timeout": "10m"})) // however busy the machine is
	} else {
		replace(tree.Get(config, "data"), "objectHash", tree.NewString("false"))
	}
	files, err := manifests.Read([]string{filepath.Join(testdata, "objects.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	items, results := fn.Items(config, manifests.Objects(files))
	if fn.HasError(results) {
		t.Fatalf("the config fails: %v\n%s", results, text(t, []*object.Object{object.NewDocument(config)}))
	}
	if len(results) == 0 {
		t.Errorf("the config finds nothing in the objects, which proves nothing:\n%s", text(t, []*object.Object{object.NewDocument(config)}))
	}
	var out strings.Builder
	if err := manifests.WriteStream(&out, items); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func parse(t *testing.T, from string, text []byte) []*object.Object {
	t.Helper()
	read, err := manifests.ReadPackage([]string{manifests.Stdin}, bytes.NewReader(text), manifests.Options{
		IsObjectToo: func(root *tree.Node) bool { return IsRules(from, root) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return manifests.Objects(read.Files)
}

func mustConvert(t *testing.T, from, to string, objects []*object.Object) Conversion {
	t.Helper()
	out, err := Convert(from, to, objects, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if fn.HasError(out.Results) {
		t.Fatalf("%s to %s: %v", from, to, out.Results)
	}
	return out
}

// reread writes documents and parses them again.
func reread(t *testing.T, documents []*object.Object) []*object.Object {
	t.Helper()
	var read []*object.Object
	for _, o := range documents {
		again, err := object.ParseDocument([]byte(text(t, []*object.Object{o})))
		if err != nil {
			t.Fatal(err)
		}
		if !tree.Equal(again.Root(), o.Root()) {
			t.Errorf("the text has other data than the document")
		}
		read = append(read, again)
	}
	return read
}

func text(t *testing.T, documents []*object.Object) string {
	t.Helper()
	var out strings.Builder
	if err := manifests.WriteStream(&out, documents); err != nil {
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
