package applyoperations_test

import (
	"strings"
	"testing"
)

func TestMergePatch(t *testing.T) {
	const operation = "operation: MergePatch, kind: ConfigMap, name: a, mergePatch: {data: {x: null, z: \"2\"}, status: {s: 2}}"
	testOperation(t, []operationCase{
		{
			"leaves the status", "{" + operation + "}",
			strings.Replace(there, "x: \"1\"", "z: \"2\"", 1), "info: operations[0]: patched\n",
		},
		{
			"changes the status alone", "{" + operation + ", subresource: status}",
			strings.Replace(there, "s: 1", "s: 2", 1), "info: operations[0]: patched\n",
		},
	})
}
