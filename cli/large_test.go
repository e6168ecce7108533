package cli_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestSuggestOnManyElements has a list whose elements the cluster has in the reverse order: work
// that grew with the square of their number would take minutes.
func TestSuggestOnManyElements(t *testing.T) {
	const count = 20_000
	list := func(index func(i int) int) string {
		var b strings.Builder
		b.WriteString("apiVersion: example.com/v1\nkind: Table\nmetadata: {name: a}\nspec:\n  rows:\n")
		for i := range count {
			fmt.Fprintf(&b, "  - {name: n%d, value: 1}\n", index(i))
		}
		return b.String()
	}
	desired := write(t, "desired.yaml", list(func(i int) int { return i }))
	live := write(t, "live.yaml", list(func(i int) int { return count - 1 - i }))
	_, errOut := run(t, "", "suggest", desired, live)
	if want := "nothing to suggest: no field that differs from LIVE needs a rule\n"; !strings.HasSuffix(errOut, want) {
		t.Errorf("stderr %q, want %q at its end", errOut, want)
	}
}

// TestLocateOnManyFields has more fields on a line than expressions can be proved for.
func TestLocateOnManyFields(t *testing.T) {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {")
	for i := range 20_000 {
		fmt.Fprintf(&b, "key%d: a, ", i)
	}
	file := write(t, "wide.yaml", b.String()+"last: a}\n"+strings.Repeat("# no field\n", 20_000))
	_, errOut := run(t, "", "locate", file, "--line", "4")
	if !strings.Contains(errOut, "must have fewer fields, found 20002") || !strings.Contains(errOut, "such as --field 'data.last'") {
		t.Errorf("the error must name the number and the fix, found %q", errOut)
	}
	_, errOut = run(t, "", "locate", file, "--line", "5")
	if !strings.HasSuffix(errOut, "line 5 of folder/wide.yaml has no field [RunError]\n") {
		t.Errorf("stderr %q", errOut)
	}
}

// TestDiffOfManyDefaults has a list without a key whose elements the cluster has with defaults,
// more than can be read again from a text: none of them differs.
func TestDiffOfManyDefaults(t *testing.T) {
	var properties strings.Builder
	for i := range 400 {
		fmt.Fprintf(&properties, "e%d: {type: object, default: {k: v, w: x}}, ", i)
	}
	crd := write(t, "crd.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.e.io}\n"+
		"spec:\n  group: e.io\n  names: {kind: Widget, plural: widgets}\n  scope: Namespaced\n  versions:\n"+
		"  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, "+
		"properties: {l: {type: array, items: {type: object, properties: {a: {type: string}, "+properties.String()+"}}}}}}}}}\n")
	widget := func(elements string) string {
		return "apiVersion: e.io/v1\nkind: Widget\nmetadata: {name: w, namespace: d}\nspec:\n  l:\n" + elements
	}
	many := strings.Repeat("  - {}\n", 200)
	here := write(t, "here.yaml", widget("  - {e1: {k: v, w: x}}\n"+many))
	there := write(t, "there.yaml", widget("  - {e1: {k: v, w: x}}\n"+many+"  - {a: b}\n"))
	out, errOut := run(t, "", "diff", "--crds", crd, "--live", there, here)
	if want := "   - {}\n-  - a: b\n"; !strings.HasSuffix(out, want) || strings.Contains(out, "k: v") || errOut != "" {
		t.Errorf("stdout %q, want %q at its end and no default; stderr %q", out, want, errOut)
	}
}

// TestCleanOfManyFields asks of each of many fields whether it is a default: work that grew with
// the square of their number would take minutes.
func TestCleanOfManyFields(t *testing.T) {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n")
	for i := range 8000 {
		fmt.Fprintf(&b, "  - {name: p%d, port: %d, protocol: TCP, targetPort: %d}\n", i, i+1, i+1)
	}
	out, _ := run(t, "", "run", "--clean", write(t, "service.yaml", b.String()))
	if want := "  - {name: p7999, port: 8000}\n"; !strings.HasSuffix(out, want) {
		t.Errorf("%d bytes of output, must end with %q", len(out), want)
	}
}
