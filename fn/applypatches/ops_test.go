package applypatches_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/applypatches"
	"github.com/krm-fields/krm-fields/internal/author/configschema"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

const emptied = header + "patches: [{target: {kind: ConfigMap}, operations: [{op: empty, path: /data/list}]}]"

// TestANewOpIsKnownEverywhere adds an op to the table alone.
func TestANewOpIsKnownEverywhere(t *testing.T) {
	list := configMap("a", "{list: [1, 2]}")
	_, results := run(t, emptied, list)
	want := []string{`error: patches[0].operations[0].op: must be add, replace, remove, mergeShallow or ensure, found "empty"`}
	if diff := cmp.Diff(want, messages(results)); diff != "" {
		t.Errorf("without the op (-want +got):\n%s", diff)
	}

	applypatches.AddEmpty(t)
	out, results := run(t, emptied, list)
	want = []string{"info: 1 field patched: data.list (patches[0].operations[0])"}
	if diff := cmp.Diff(want, messages(results)); diff != "" {
		t.Errorf("with the op (-want +got):\n%s", diff)
	}
	text, err := out[0].Text()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(configMap("a", "{list: []}"), string(text)); diff != "" {
		t.Errorf("the object (-want +got):\n%s", diff)
	}
	item, err := object.ParseDocument([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	explained := explain.Run{FunctionConfig: parse(t, emptied), Items: []*object.Object{item}}
	explained.Out, explained.Results, explained.Trace = fn.Traced(explained.FunctionConfig, explained.Items)
	explanation, err := explain.Of(explained)
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	if err := explanation.WriteText(&told, false); err != nil || !strings.Contains(told.String(), "1 field patched: data.list") {
		t.Errorf("explain must tell what was done, %v:\n%s", err, told.String())
	}
	_, results = run(t, strings.Replace(emptied, "op: empty", "op: emty", 1), list)
	want = []string{`error: patches[0].operations[0].op: must be add, replace, remove, mergeShallow, ensure or empty, ` +
		`found "emty"; did you mean "empty"?`}
	if diff := cmp.Diff(want, messages(results)); diff != "" {
		t.Errorf("a misspelt op (-want +got):\n%s", diff)
	}

	page, err := configschema.Of(applypatches.Kind).Text()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "empty empties a list.") {
		t.Errorf("the JSON Schema must say what the op does:\n%s", page)
	}
	if err := golden.Validate(t, configschema.Of(applypatches.Kind), parse(t, emptied)); err != nil {
		t.Errorf("the JSON Schema must accept the op without a value: %v", err)
	}
	if err := golden.Validate(t, configschema.Of(applypatches.Kind), parse(t, strings.Replace(emptied, "op: empty", "op: emty", 1))); err == nil {
		t.Error("the JSON Schema must refuse an op that is not in the table")
	}
}
