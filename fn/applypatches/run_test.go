package applypatches_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/fn/applypatches"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func parse(t *testing.T, text string) *tree.Node {
	t.Helper()
	root, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func run(t *testing.T, config string, texts ...string) ([]*object.Object, []report.Result) {
	t.Helper()
	items := make([]*object.Object, len(texts))
	for i, text := range texts {
		item, err := object.ParseDocument([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		items[i] = item
	}
	return applypatches.Run(parse(t, config), items, nil)
}

func messages(results []report.Result) []string {
	list := make([]string, len(results))
	for i, r := range results {
		list[i] = r.Severity + ": " + r.Message
	}
	return list
}

const header = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyPatches\n"

func configMap(name, data string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata: %s\n", name, data)
}

func TestAMessageListsTwentyFields(t *testing.T) {
	_, results := run(t, header+`
patches:
- target: {kind: ConfigMap}
  operations:
  - {op: add, path: "/data/l[*]/x", value: 1}
`, configMap("a", "{l: ["+strings.Repeat("{}, ", 21)+"{}]}"))
	shown := make([]string, 20)
	for i := range shown {
		shown[i] = fmt.Sprintf("data.l[%d].x (patches[0].operations[0])", i)
	}
	want := []string{"info: 22 fields patched: " + strings.Join(shown, ", ") + " and 2 more"}
	if diff := cmp.Diff(want, messages(results)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// Objects are worked on in parallel; the results come in the order of the objects, and a limit ends
// the run at the first object that hits it.
func TestResultsAreInTheOrderOfTheObjects(t *testing.T) {
	const objects = 100
	config := header + `
patches:
- target: {kind: ConfigMap}
  operations:
  - {op: replace, path: /data/n, value: "${resource.data.n + 1}"}
- target: {kind: ConfigMap, where: resource.data.n > 90}
  operations:
  - {op: replace, path: /data/m, value: "${sets.equivalent(lists.range(3000), lists.range(3000))}"}
`
	texts := make([]string, objects)
	var want []string
	for i := range texts {
		texts[i] = configMap(fmt.Sprintf("c%d", i), fmt.Sprintf("{n: %d}", i))
		switch {
		case i < 90:
			want = append(want, "info: 1 field patched: data.n (patches[0].operations[0])")
		case i == 90:
			want = append(want, "error: patches[1].operations[0]: CEL expression exceeded its cost limit of 10000000: "+
				"'sets.equivalent(lists.range(3000), lists.range(3000))'")
		}
	}
	_, results := run(t, config, texts...)
	if diff := cmp.Diff(want, messages(results)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestTooManyPlaces(t *testing.T) {
	row := "[" + strings.Repeat("1,", 256) + "1]"
	_, results := run(t, header+`
patches:
- target: {kind: ConfigMap}
  operations:
  - {op: replace, path: "/data/l[*][*]", value: 2}
`, configMap("a", "{l: ["+strings.Repeat(row+",", 256)+"]}"))
	want := []string{"error: patches[0].operations[0]: path '/data/l[*][*]': must select at most 65536 locations"}
	if diff := cmp.Diff(want, messages(results)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// What is no object is an error of the caller, and must not be worked on.
func TestItemsThatAreNoObjects(t *testing.T) {
	items, results := run(t, header+`
patches:
- target: {where: "true"}
  operations:
  - {op: add, path: /a, value: 1}
removes:
- target: {where: "true"}
`, "[]\n", "text\n", "{a: b}\n")
	if len(items) != 3 || hasError(results) {
		t.Errorf("got %d items and %v, want the 3 that came in and no error", len(items), messages(results))
	}
}

func hasError(results []report.Result) bool {
	return slices.ContainsFunc(results, func(r report.Result) bool { return r.Severity == report.SeverityError })
}

// opCase is one operation on a ConfigMap.
type opCase struct {
	name, operation string
	// data is that of the ConfigMap, want what comes of it, wantErr the error without its place.
	data, want, wantErr string
}

func testOp(t *testing.T, tests []opCase) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, results := run(t, header+"patches: [{target: {kind: ConfigMap}, operations: ["+test.operation+"]}]",
				configMap("a", test.data))
			if test.wantErr != "" {
				want := []string{"error: patches[0].operations[0]: " + test.wantErr}
				if diff := cmp.Diff(want, messages(results)); diff != "" {
					t.Errorf("results (-want +got):\n%s", diff)
				}
				return
			}
			if got := tree.Get(out[0].Root(), "data"); !tree.Equal(parse(t, test.want), got) {
				t.Errorf("got %v, want %s; %v", tree.Value(got), test.want, messages(results))
			}
		})
	}
}
