package applyoperations_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const fuzzedDocuments = `apiVersion: v1
kind: ConfigMap
metadata:
  name: a # the first
  labels: &l {x: "1"}
data: *l
list: [1, 1e3, {name: n, v: 0644}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: b
  uid: u
  ownerReferences:
  - {apiVersion: v1, kind: ConfigMap, name: a}
  - {apiVersion: v1, kind: ConfigMap, name: c}
status: {x: 1}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: c
  resourceVersion: "1"
  ownerReferences:
  - {apiVersion: v1, kind: ConfigMap, name: any, uid: u}
data:
  <<: {x: merged}
  text: |
    x
`

// FuzzOperations runs operations that a script chooses, two bytes each, and checks that what comes
// out can be written and read.
func FuzzOperations(f *testing.F) {
	f.Add([]byte{0, 0, 1, 1, 2, 2, 3, 0, 4, 1, 5, 2, 6, 0, 7, 1, 8, 2, 9, 0, 10, 1, 11, 2, 12, 0, 13, 1})
	f.Add([]byte{9, 2, 8, 1, 12, 2, 12, 1, 3, 3, 13, 3})
	f.Fuzz(func(t *testing.T, script []byte) {
		var stream strings.Builder
		for ; len(script) >= 2 && stream.Len() < 10_000; script = script[2:] {
			fmt.Fprintf(&stream, "---\n"+operations[int(script[0])%len(operations)]+"\n", "abcd"[script[1]%4:script[1]%4+1])
		}
		list := items(t, fuzzedDocuments)
		out, results := applyoperations.Run(applyoperations.FromHook([]byte(stream.String())), list, nil)
		if strings.Contains(messages(results), "error: ") {
			return
		}
		checkItems(t, out)
	})
}

var operations = []string{
	`{operation: Create, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {y: ~}}}`,
	`{operation: CreateIfNotExists, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: %s}}}`,
	`{operation: CreateOrUpdate, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {x: z, y: null}}}`,
	`{operation: Delete, kind: ConfigMap, name: %s}`,
	`{operation: DeleteNonCascading, kind: ConfigMap, name: %s}`,
	`{operation: MergePatch, kind: ConfigMap, name: %s, ignoreMissingObject: true, mergePatch: {data: null, list: [2]}}`,
	`{operation: MergePatch, kind: ConfigMap, name: %s, ignoreMissingObject: true, mergePatch: {data: {x: "2", "<<": y}}}`,
	`{operation: MergePatch, kind: ConfigMap, name: %s, ignoreMissingObject: true, subresource: status, mergePatch: {status: null}}`,
	`{operation: JSONPatch, kind: ConfigMap, name: %s, ignoreMissingObject: true, jsonPatch: [{op: move, from: /data, path: /metadata/labels}]}`,
	`{operation: JSONPatch, kind: ConfigMap, name: %s, ignoreMissingObject: true, jsonPatch: [{op: copy, from: /metadata, path: /data}]}`,
	`{operation: JSONPatch, kind: ConfigMap, name: %s, ignoreMissingObject: true, jsonPatch: [{op: add, path: /list, value: [{name: n}, 1000, 1]}]}`,
	`{operation: JSONPatch, kind: ConfigMap, name: %s, ignoreMissingObject: true, jsonPatch: [{op: remove, path: /list/0}]}`,
	`{operation: JQPatch, kind: ConfigMap, name: %s, ignoreMissingObject: true, jqFilter: ".list = [.list, .data] | .data = {}"}`,
	`{operation: JQPatch, kind: ConfigMap, name: %s, ignoreMissingObject: true, jqFilter: "{apiVersion, kind, metadata, list: .data}"}`,
}

func checkItems(t *testing.T, items []*object.Object) {
	t.Helper()
	for _, item := range items {
		text, err := item.Text()
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := tree.Parse(text)
		if err != nil {
			t.Fatalf("the text does not parse: %v\n%s", err, text)
		}
		if !tree.Equal(parsed, item.Root()) {
			t.Errorf("the text has other data than the object:\n%s", text)
		}
	}
}

// FuzzHook runs any text as the file of a hook.
func FuzzHook(f *testing.F) {
	f.Add(jsonA + "\n" + jsonB + "---\n" + yamlA + "---\n[" + flowC + "]")
	f.Add("operation: JSONPatch\nkind: ConfigMap\nname: a\njsonPatch: |\n  - {op: add, path: /list/-, value: {a: [~]}}\n")
	f.Add(`{"operationType":"EnsureDeleteOrphan","kind":"ConfigMap","name":"a"}{"operation":"MergePatch","spec":"{}"}`)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "jqFilter") || strings.Contains(text, "spec") {
			return // what jq does with any filter is tested in fn/jq
		}
		list := items(t, fuzzedDocuments)
		out, results := applyoperations.Run(applyoperations.FromHook([]byte(text)), list, nil)
		if !strings.Contains(messages(results), "error: ") {
			checkItems(t, out)
		}
	})
}
