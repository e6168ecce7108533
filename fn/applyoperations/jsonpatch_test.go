package applyoperations_test

import (
	"strings"
	"testing"
)

func TestJSONPatch(t *testing.T) {
	const operation = "operation: JSONPatch, kind: ConfigMap, name: a, jsonPatch: "
	testOperation(t, []operationCase{
		{
			"patches", "{" + operation + "[{op: test, path: /data/x, value: \"1\"}, {op: move, from: /data/x, path: /data/z}]}",
			strings.Replace(there, "x:", "z:", 1), "info: operations[0]: patched\n",
		},
		{
			"a test that fails", "{" + operation + "[{op: test, path: /data/x, value: 1}]}", there,
			"error: operations[0]: jsonPatch[0]: test \"/data/x\": must be number 1, found \"1\"\n",
		},
	})
}
