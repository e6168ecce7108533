package managedfields

import (
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// entriesOf has a manager of the field a, of b, or of both, for each of the lines of text: `kubectl
// Apply a b`, `hpa Update/scale a`.
func entriesOf(t *testing.T, text string) []Entry {
	t.Helper()
	var b strings.Builder
	b.WriteString("metadata: {managedFields: [")
	for line := range strings.SplitSeq(text, "; ") {
		words := strings.Fields(line)
		operation, subresource, _ := strings.Cut(words[1], "/")
		b.WriteString("{manager: " + words[0] + ", operation: " + operation + ", subresource: '" + subresource + "', apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:map: {")
		for _, field := range words[2:] {
			b.WriteString("f:" + field + ": {}, ")
		}
		b.WriteString("}}}},")
	}
	b.WriteString("]}")
	root, err := tree.Parse([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	entries, _ := Of(root)
	return entries
}

func TestSoleOwner(t *testing.T) {
	root, err := tree.Parse([]byte("spec: {map: {a: 1, b: {c: 2, d: 3}}}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ entries, applier, want string }{
		{"kubectl Apply a", "", "kubectl"},
		{"anyone Apply a b", "", "anyone"},
		{"kubectl Apply a b", "kubectl", "kubectl"},
		{"kubectl Apply a b", "kpt", ""},
		{"kubectl Apply a b; hpa Update a", "", ""},
		{"kubectl Apply a b; hpa Update/scale b", "", ""},
		{"kubectl Apply a; other Apply b", "", ""},
		{"kubectl Apply a; hpa Update b", "", ""},
		{"hpa Update a b", "", ""},
		{"kubectl Apply/status a b", "", ""},
		// One manager keeps by update what it no longer applies.
		{"kubectl Apply a b; kubectl Update a", "", ""},
		{"kubectl-client-side-apply Update a b", "", "kubectl-client-side-apply"},
		{"kubectl-client-side-apply Update a b", "kubectl", "kubectl-client-side-apply"},
		{"kubectl-client-side-apply Update a b", "kpt", ""},
		{"kubectl-client-side-apply Update/status a b", "", ""},
		{"kubectl-client-side-apply Update a b; hpa Update a", "", ""},
		// kubectl makes its own what it applied client-side.
		{"kubectl-client-side-apply Update a b; kubectl Apply a", "", "kubectl"},
		{"kubectl-client-side-apply Update a b; kpt Apply a", "", ""},
		{"before-first-apply Update a b", "", ""},
		{"before-first-apply Update a b; kustomize-controller Apply other", "", "before-first-apply taken over by kustomize-controller"},
		{"before-first-apply Update a b; kubectl Apply other", "", ""},
		{"before-first-apply Update a b; kubectl Apply a b", "", ""},
		{"before-first-apply Update a b; kustomize-controller Apply other", "kustomize-controller", "before-first-apply taken over by kustomize-controller"},
		{"before-first-apply Update a b; kustomize-controller Apply other", "kpt", ""},
		{"before-first-apply Update a b; kustomize-controller Update other", "", ""},
		{"kubectl Apply other", "", ""},
	} {
		l := location.Location{location.Key("spec"), location.Key("map")}
		sole, ok := NewIndex(entriesOf(t, test.entries), root).SoleOwner(l, test.applier)
		got := sole.Manager
		if sole.TakenOverBy != "" {
			got += " taken over by " + sole.TakenOverBy
		}
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s, applied by %q: got %q, want %q", test.entries, test.applier, got, test.want)
		}
	}
}

const reordered = `
metadata:
  managedFields:
  - manager: kpt
    operation: Apply
    apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1:
      f:spec:
        f:ports:
          k:{"port":80,"protocol":"TCP"}: {f:port: {}}
          k:{"port":81,"protocol":"UDP"}: {f:port: {}}
spec:
  ports: [{port: 81, protocol: UDP}, {port: 80}]
  named: [{name: b}, {name: a, image: x}]
  values: [y, x]
  mixed: [{name: a}, {image: x}]
`

func TestCounterparts(t *testing.T) {
	live, err := tree.Parse([]byte(reordered))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := tree.Parse([]byte(`spec: {ports: [{port: 80, protocol: TCP}, {port: 81}], named: [{name: a, image: z}, {name: c}], values: [x, z],
  mixed: [{image: x}, {name: a}]}`))
	if err != nil {
		t.Fatal(err)
	}
	entries, _ := Of(live)
	counterparts := NewCounterparts(entries, ours, live)
	for pointer, want := range map[string]string{
		"/spec/ports/0/port":  "/spec/ports/1/port",
		"/spec/ports/1":       "", // TCP, and there is none of that port
		"/spec/named/0/image": "/spec/named/1/image",
		"/spec/named/1":       "",
		"/spec/values/0":      "/spec/values/1",
		"/spec/values/1":      "",
		"/spec/values":        "/spec/values",
		"/spec/mixed/0":       "/spec/mixed/1",
		"/spec/mixed/1/name":  "/spec/mixed/0/name",
		"/spec/other":         "",
	} {
		expression, err := jsonpointer.Parse(pointer)
		if err != nil {
			t.Fatal(err)
		}
		found, err := expression.Locate(&expr.Input{Root: ours})
		if err != nil {
			t.Fatal(err)
		}
		l := location.Location{location.Key("spec"), location.Key("other")}
		if len(found.Locations) == 1 {
			l = found.Locations[0]
		}
		got, ok := counterparts.Find(l)
		if got.Pointer() != want || ok != (want != "") {
			t.Errorf("%s: got %q, want %q", pointer, got.Pointer(), want)
		}
	}
}
