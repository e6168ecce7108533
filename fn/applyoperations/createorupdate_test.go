package applyoperations_test

import (
	"strings"
	"testing"
)

func TestCreateOrUpdate(t *testing.T) {
	testOperation(t, []operationCase{
		{
			"adds without nulls", "{operation: CreateOrUpdate, object: " + newObject + "}",
			there + strings.Replace(newText, "data:\n  x: null", "data: {}", 1), "info: operations[0]: created\n",
		},
		{
			"merges and leaves the status", "{operation: CreateOrUpdate, object: " + sameName + "}",
			strings.Replace(there, "status", "  z: \"2\"\nstatus", 1), "info: operations[0]: updated\n",
		},
		{
			"needs the object that had the resourceVersion",
			"{operation: CreateOrUpdate, resourceVersion: \"7\", object: " + newObject + "}", there,
			"error: operations[0]: conflict: the resourceVersion of ConfigMap b must be \"7\", found none\n",
		},
	})
}
