package applyoperations_test

import "testing"

func TestFilterPatchOptimistic(t *testing.T) {
	const operation = "operation: FilterPatchOptimistic, kind: ConfigMap, name: a, jqFilter: del(.data.x)"
	testOperation(t, []operationCase{
		{"needs a resourceVersion", "{" + operation + "}", there,
			"error: operations[0].resourceVersion: must be set for FilterPatchOptimistic, found nothing\n"},
		{"of an object that has another", "{" + operation + ", resourceVersion: \"7\"}", there,
			"error: operations[0]: conflict: the resourceVersion of ConfigMap a must be \"7\", found none\n"},
	})
}
