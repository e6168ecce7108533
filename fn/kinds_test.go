package fn_test

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/cli"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const dropData = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: a}
  data: {b: c}
functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: DropData
  much: All
`

// dropsData is a kind that removes the data of all objects.
var dropsData = fn.Kind{
	Name: "DropData", Doc: "drops the data of all objects",
	Config: reflect.TypeFor[struct {
		config.Header
		Much string `json:"much" enum:"All,Little" default:"All" doc:"How much."`
	}](),
	Run: func(_ fn.Options, _ *tree.Node, items []*object.Object) ([]*object.Object, []report.Result) {
		for _, item := range items {
			item.Remove([]location.Location{{location.Key("data")}})
		}
		return items, nil
	},
}

// TestANewKindIsKnownEverywhere adds a kind to the table alone.
func TestANewKindIsKnownEverywhere(t *testing.T) {
	_, stderr, code := run([]byte(dropData))
	want := "error: kind: the kind of the functionConfig must be ApplyOperations, ApplyPatches, IgnoreFields or ConfigMap, " +
		"found \"DropData\" [InvalidFunctionConfig]\n"
	if code != 1 || stderr != want {
		t.Errorf("without the kind: exit code %d, stderr %q, want 1 and %q", code, stderr, want)
	}

	fn.AddKind(t, dropsData)
	stdout, stderr, code := run([]byte(dropData))
	if code != 0 || stdout != strings.Replace(dropData, "  data: {b: c}\n", "", 1) {
		t.Errorf("with the kind: exit code %d, stderr %q, stdout\n%s", code, stderr, stdout)
	}
	_, stderr, _ = run([]byte(strings.Replace(dropData, "kind: DropData", "kind: DropDate", 1)))
	want = `must be ApplyOperations, ApplyPatches, DropData, IgnoreFields or ConfigMap, found "DropDate"; did you mean "DropData"?`
	if !strings.Contains(stderr, want) {
		t.Errorf("a misspelt kind: stderr %q, want %q in it", stderr, want)
	}

	for command, want := range map[string]string{
		"--help":             "  DropData            drops the data of all objects\n",
		"schema --help":      "ApplyOperations, ApplyPatches, DropData, IgnoreFields",
		"schema DropData":    `"title": "functionConfig of kind DropData"`,
		"__complete schema ": "DropData\n",
	} {
		var out bytes.Buffer
		args := strings.Split(command, " ")
		if code := cli.Main(args, cli.Build{}, cli.Streams{In: os.Stdin, Out: &out, Err: &out}); code != 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit code %d, want %q in\n%s", command, code, want, out.String())
		}
	}
}

// TestSelectorsKnowFunctionConfigs compares the kinds of which an item is left alone with the
// table.
func TestSelectorsKnowFunctionConfigs(t *testing.T) {
	for _, kind := range fn.Kinds() {
		item := selector.Candidate{APIVersion: fn.APIVersion, Kind: kind.Name}
		if !item.IsFunctionConfig() {
			t.Errorf("%s is no functionConfig for package selector", kind.Name)
		}
	}
}
