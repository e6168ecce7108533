package applyoperations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func TestResult(t *testing.T) {
	list := items(t, configMap("a"))
	list[0].SetFile(report.File{Path: "a.yaml", HasIndex: true}, "a.yaml")
	config := parse(t, `
apiVersion: fn.kpt.dev/v1alpha1
kind: ApplyOperations
metadata: {name: test}
operations:
- {operation: MergePatch, kind: ConfigMap, name: a, resourceVersion: "7", mergePatch: {data: {}}}
- {operation: JQPatch, kind: ConfigMap, name: a, jqFilter: error("x")}
- {operation: JQPatch, apiVersion: v1, kind: ConfigMap, name: b, namespace: default, jqFilter: "."}
`)
	ref := report.Ref{APIVersion: "v1", Kind: "ConfigMap", Name: "a"}
	want := []report.Result{
		{
			Message:  `operations[0]: conflict: the resourceVersion of ConfigMap a must be "7", found none`,
			Severity: report.SeverityError, Ref: ref, File: report.File{Path: "a.yaml", HasIndex: true},
			Field: report.Field{Path: "operations[0]"}, Tags: map[string]string{"reason": "OperationConflict", "conflicts": "1"},
		},
		{
			Message: "operations[2]: ConfigMap default/b (v1) does not exist; " +
				"ignoreMissingObject: true skips the operation",
			Severity: report.SeverityError, Ref: report.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: "default", Name: "b"},
			Field: report.Field{Path: "operations[2]"}, Tags: map[string]string{"reason": "OperationError", "conflicts": "1"},
		},
	}
	_, results := applyoperations.Run(config, list, nil)
	if diff := cmp.Diff(want, results); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// TestOneInfoForEachObject runs several operations on each object.
func TestOneInfoForEachObject(t *testing.T) {
	out, results := runOn(t, `
operations:
- {operation: MergePatch, kind: ConfigMap, name: a, mergePatch: {data: {x: "1"}}}
- {operation: Create, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: new}}}
- {operation: CreateOrUpdate, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {z: "2"}}}
- {operation: MergePatch, kind: ConfigMap, name: new, mergePatch: {data: {x: "1"}}}
- {operation: MergePatch, kind: ConfigMap, name: gone, mergePatch: {data: {x: "1"}}}
- {operation: Delete, kind: ConfigMap, name: gone}
- {operation: Create, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: brief}}}
- {operation: Delete, kind: ConfigMap, name: brief}
`, configMap("a")+"---\n"+configMap("gone"))
	want := "info: operations[0]: patched; operations[2]: updated\n" +
		"info: operations[1]: created; operations[3]: patched\n" +
		"info: operations[4]: patched; operations[5]: deleted\n"
	if diff := cmp.Diff(want, messages(results)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	wantText := configMap("a") + "data:\n  x: \"1\"\n  z: \"2\"\n---\n" + configMap("new") + "data:\n  x: \"1\"\n"
	if diff := cmp.Diff(wantText, texts(t, out)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	reasons := []string{results[0].Tags["reason"], results[1].Tags["reason"], results[2].Tags["reason"]}
	if diff := cmp.Diff([]string{"Updated", "Created", "Deleted"}, reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

// TestLock checks operations that ask for a resourceVersion.
func TestLock(t *testing.T) {
	tests := []struct {
		name, operation, want string
	}{
		{name: "a patch", operation: `{operation: MergePatch, kind: ConfigMap, name: a, mergePatch: {}, resourceVersion: "1"}`},
		{
			name: "a deletion", operation: `{operation: Delete, kind: ConfigMap, name: a, resourceVersion: "2"}`,
			want: `error: operations[0]: conflict: the resourceVersion of ConfigMap a must be "2", found "1"` + "\n",
		},
		{
			name: "an update", operation: `{operation: CreateOrUpdate, resourceVersion: "2",
  object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}`,
			want: `error: operations[0]: conflict: the resourceVersion of ConfigMap a must be "2", found "1"` + "\n",
		},
		{
			name: "an update of what has gone", operation: `{operation: CreateOrUpdate, resourceVersion: "2",
  object: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}}`,
			want: `error: operations[0]: conflict: the resourceVersion of ConfigMap b must be "2", found none` + "\n",
		},
		{
			name: "a deletion of what has gone", operation: `{operation: Delete, kind: ConfigMap, name: b, resourceVersion: "2"}`,
			want: "info: operations[0]: ConfigMap b does not exist, so nothing is done\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, results := runOn(t, "operations:\n- "+test.operation, configMap("a")+"  resourceVersion: \"1\"\n")
			if diff := cmp.Diff(test.want, messages(results)); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJSONItems(t *testing.T) {
	root, err := tree.ParseJSON([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"b":"1","a":"2"}}`))
	if err != nil {
		t.Fatal(err)
	}
	config := parse(t, `
apiVersion: fn.kpt.dev/v1alpha1
kind: ApplyOperations
operations:
- {operation: JQPatch, kind: ConfigMap, name: a, jqFilter: '.data.c = "3" | del(.data.b)'}
- {operation: Create, object: {apiVersion: v1, kind: Namespace, metadata: {name: n}}}
`)
	out, _ := applyoperations.Run(config, []*object.Object{object.JSON(root)}, nil)
	want := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"2","c":"3"}}` + "---\n" +
		`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}}`
	if diff := cmp.Diff(want, texts(t, out)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}
