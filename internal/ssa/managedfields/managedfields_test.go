package managedfields

import (
	"fmt"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const live = `
metadata:
  finalizers: [a, b]
  labels: {app: web, other: web}
  managedFields:
  - manager: kpt
    operation: Apply
    apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1:
      f:metadata: {f:finalizers: {'v:"a"': {}}, f:labels: {f:app: {}}}
      f:spec:
        f:replicas: {}
        f:selector: {}
        f:containers:
          k:{"name":"web"}: {.: {}, f:name: {}, f:image: {}}
        f:ports:
          k:{"port":80,"protocol":"TCP"}: {f:port: {}}
  - manager: hpa
    operation: Update
    subresource: scale
    apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1: {f:spec: {f:replicas: {}}}
  - manager: emptied
    operation: Update
    apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1: {f:metadata: {f:labels: {}}}
  - {manager: empty, operation: Update}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  containers: [{name: side, image: s}, {name: web, image: w}]
  ports: [{port: 80}, {port: 80, protocol: UDP}]
`

func TestOwners(t *testing.T) {
	root, err := tree.Parse([]byte(live))
	if err != nil {
		t.Fatal(err)
	}
	entries, _ := Of(root)
	for pointer, want := range map[string]string{
		"/spec/replicas":             "[kpt (Apply) hpa (Update, scale)]",
		"/spec/selector":             "[kpt (Apply)]",
		"/spec/selector/matchLabels": "[kpt (Apply)]", // owned as a whole
		"/spec/containers/1/image":   "[kpt (Apply)]",
		"/spec/containers/0/image":   "[]",
		"/spec/containers":           "[kpt (Apply)]",
		"/spec/ports/0/port":         "[kpt (Apply)]", // TCP is the default
		"/spec/ports/1/port":         "[]",
		"/metadata/finalizers/0":     "[kpt (Apply)]",
		"/metadata/finalizers/1":     "[]",
		"/metadata/labels":           "[kpt (Apply) emptied (Update)]",
		"/metadata/labels/app":       "[kpt (Apply)]", // the other one has had an empty map
		"/metadata/labels/other":     "[]",
		"/spec/other":                "[]",
		"/spec":                      "[kpt (Apply) hpa (Update, scale)]",
	} {
		l := at(t, pointer)
		if got := fmt.Sprint(NewIndex(entries, root).Owners(l)); got != want {
			t.Errorf("%s: got %s, want %s", pointer, got, want)
		}
	}
}

func TestLists(t *testing.T) {
	root, err := tree.Parse([]byte(live))
	if err != nil {
		t.Fatal(err)
	}
	entries, _ := Of(root)
	for pointer, want := range map[string]listkey.Key{
		"/spec/containers": listkey.Of("name"), "/spec/ports": listkey.Of("port", "protocol"), "/spec/selector": nil, "/metadata/finalizers": listkey.Value,
	} {
		if got := ListKey(entries, at(t, pointer), root); (got == nil) != (want == nil) || got.String() != want.String() {
			t.Errorf("key of %s: got %q, want %q", pointer, got, want)
		}
	}
}

// at returns the location of a pointer whose digits are indices.
func at(t *testing.T, pointer string) location.Location {
	t.Helper()
	root, err := tree.Parse([]byte(live))
	if err != nil {
		t.Fatal(err)
	}
	expression, err := jsonpointer.Parse(pointer)
	if err != nil {
		t.Fatal(err)
	}
	found, err := expression.Locate(&expr.Input{Root: root})
	if err != nil || len(found.Locations) != 1 {
		return location.Location{location.Key("spec"), location.Key("other")}
	}
	return found.Locations[0]
}
