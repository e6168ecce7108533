package applyoperations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// there is an object for one operation, with a status.
const there = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: \"1\"\nstatus:\n  s: 1\n"

// operationCase is one operation on the object there.
type operationCase struct {
	name, operation string
	// want are the items that come out, wantMessages the results.
	want, wantMessages string
}

func testOperation(t *testing.T, tests []operationCase) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, results := runOn(t, "operations: ["+test.operation+"]", there)
			if diff := cmp.Diff(test.wantMessages, messages(results)); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, texts(t, out)); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
		})
	}
}

const (
	newObject = "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {x: null}}"
	newText   = "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata:\n  x: null\n"
	sameName  = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {z: \"2\"}, status: null}"
)

func TestCreate(t *testing.T) {
	testOperation(t, []operationCase{
		{"adds", "{operation: Create, object: " + newObject + "}", there + newText, "info: operations[0]: created\n"},
		{
			"is there already", "{operation: Create, object: " + sameName + "}", there,
			"error: operations[0]: ConfigMap a (v1) already exists; did you mean CreateOrUpdate or CreateIfNotExists?\n",
		},
	})
}
