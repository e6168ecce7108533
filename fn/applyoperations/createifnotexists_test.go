package applyoperations_test

import "testing"

func TestCreateIfNotExists(t *testing.T) {
	testOperation(t, []operationCase{
		{"adds", "{operation: CreateIfNotExists, object: " + newObject + "}", there + newText, "info: operations[0]: created\n"},
		{"leaves alone", "{operation: CreateIfNotExists, object: " + sameName + "}", there, ""},
	})
}
