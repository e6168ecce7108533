package applyoperations_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/internal/author/configschema"
	"github.com/krm-fields/krm-fields/internal/author/explain"
)

const replacing = "operations:\n" +
	"- {operation: Replace, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: new}}}\n"

// TestANewOperationIsKnownEverywhere adds an operation to the table alone.
func TestANewOperationIsKnownEverywhere(t *testing.T) {
	const there = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {y: old}\n"
	_, results := runOn(t, replacing, there)
	const unknown = "error: operations[0].operation: must be Create, CreateIfNotExists, CreateOrUpdate, Delete, " +
		"DeleteInBackground, DeleteNonCascading, JQPatch, FilterPatch, FilterPatchOptimistic, MergePatch, JSONPatch, " +
		"EnsureDeleted, EnsureDeleteBackground or EnsureDeleteOrphan, found \"Replace\"\n"
	if diff := cmp.Diff(unknown, messages(results)); diff != "" {
		t.Errorf("without the operation (-want +got):\n%s", diff)
	}

	applyoperations.AddReplace(t)
	out, results := runOn(t, replacing, there)
	if diff := cmp.Diff("info: operations[0]: updated\n", messages(results)); diff != "" {
		t.Errorf("with the operation (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(strings.Replace(there, "{y: old}", "{x: new}", 1), texts(t, out)); diff != "" {
		t.Errorf("the object (-want +got):\n%s", diff)
	}
	explained := explain.Run{FunctionConfig: parse(t, header+replacing), Items: items(t, there)}
	explained.Out, explained.Results, explained.Trace = fn.Traced(explained.FunctionConfig, explained.Items)
	explanation, err := explain.Of(explained)
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	if err := explanation.WriteText(&told, false); err != nil || !strings.Contains(told.String(), "operations[0]: updated") {
		t.Errorf("explain must tell what was done, %v:\n%s", err, told.String())
	}
	const missing = "operations: [{operation: Replace, kind: ConfigMap, name: a}]"
	_, results = runOn(t, missing, there)
	if diff := cmp.Diff("error: operations[0].object: must be set for Replace, found nothing\n", messages(results)); diff != "" {
		t.Errorf("without its payload (-want +got):\n%s", diff)
	}

	text, err := configschema.Of(applyoperations.Kind).Text()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "Replace replaces the object that is there.") {
		t.Errorf("the JSON Schema must say what the operation does:\n%s", text)
	}
	if err := golden.Validate(t, configschema.Of(applyoperations.Kind), parse(t, header+replacing)); err != nil {
		t.Errorf("the JSON Schema must accept the operation: %v", err)
	}
	if err := golden.Validate(t, configschema.Of(applyoperations.Kind), parse(t, header+missing)); err == nil {
		t.Error("the JSON Schema must refuse the operation without its object")
	}

	singles, results := applyoperations.Singles(parse(t, header+replacing), nil)
	if len(results) > 0 || len(singles) != 1 {
		t.Fatalf("apply must get one operation: %s", messages(results))
	}
	out, _ = singles[0].Run(items(t, there), false)
	if !strings.Contains(texts(t, out), "x: new") {
		t.Errorf("apply must carry out the operation on the live object, got\n%s", texts(t, out))
	}
}
