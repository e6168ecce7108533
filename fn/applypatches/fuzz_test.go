package applypatches_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/fn/applypatches"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const fuzzedObject = `apiVersion: v1
kind: Pod
metadata:
  name: a
  annotations: {a/b: "1"}
spec:
  # the containers
  containers:
  - &app
    name: app # comment
    ports: [{containerPort: 80}]
    env:
    - name: A
      value: 'x'
  - <<: *app
    name: side
  matrix: [[1, 2], [3]]
  "8080": ~
  text: |
    a
    b
`

// FuzzPatches runs one operation: it must not panic, an object that it leaves must keep its bytes,
// and one that it changes must be written as YAML and stay as it is where the same is done again.
func FuzzPatches(f *testing.F) {
	for i, path := range []string{
		"/spec/containers[?(@.name=='app')]/ports/-", "/spec/containers/1/name", "/spec/matrix[*][0]", "/metadata/annotations/a~1b",
		"/spec/8080/x/y", "/spec/text/${resource.metadata.name}", "/spec/containers[*]/env", "/spec/matrix/2", "/spec",
	} {
		f.Add(uint8(i), path, "{name: A, value: ['${resource.kind}', $${}, \"\"]}")
		f.Add(uint8(i+1), path, "text # comment")
		f.Add(uint8(i), path, "{name: A, value: '${current}', x: '${object(\"apps/v1\", resource.kind, \"a\")}'}")
	}
	ops := applypatches.OpName("").Enum()
	f.Fuzz(func(t *testing.T, op uint8, path, value string) {
		n, err := tree.Parse([]byte(value))
		if err != nil || n == nil {
			return
		}
		operation := ops[int(op)%len(ops)]
		config := fuzzedConfig(t, operation, path, n)
		once, ok := patched(t, config, fuzzedObject)
		isSteady := slices.Contains([]string{"replace", "mergeShallow", "ensure"}, operation)
		if !ok || !isSteady || strings.ContainsAny(path+value, "$[-") {
			return
		}
		if twice, ok := patched(t, config, once); ok && twice != once {
			t.Errorf("%s of %s makes\n%s\nand done twice\n%s", operation, path, once, twice)
		}
	})
}

func fuzzedConfig(t *testing.T, op, path string, value *tree.Node) *tree.Node {
	operation := []*tree.Node{
		tree.NewString("op"), tree.NewString(op), tree.NewString("path"), tree.NewString(path),
		tree.NewString("value"), value,
	}
	if op == "ensure" {
		operation = append(operation, tree.NewString("key"), tree.NewString("name"))
	}
	config := parse(t, header+"patches: [{target: {kind: Pod}, operations: []}]")
	operations := tree.Lookup(tree.Get(config, "patches").Content[0], "operations")
	operations.Content = []*tree.Node{{Kind: tree.MappingNode, Content: operation}}
	return config
}

// patched returns the text of the object after a run; false if the run failed.
func patched(t *testing.T, config *tree.Node, text string) (string, bool) {
	item, err := object.ParseDocument([]byte(text))
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	_, results := applypatches.Run(config, []*object.Object{item}, nil)
	if hasError(results) {
		return "", false
	}
	out, err := item.Text()
	if err != nil {
		t.Fatal(err)
	}
	if len(results) == 0 && string(out) != text {
		t.Errorf("an object that is not changed must keep its bytes, found\n%s", out)
	}
	return string(out), true
}
