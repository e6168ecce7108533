package fn

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxItemFaults is how many items that are no objects are reported one by one. A list of more is no
// list of manifests.
const maxItemFaults = 1000

// checkItems returns an error for each item that is no object.
func checkItems(items []*object.Object) []report.Result {
	var results []report.Result
	more := 0
	for i, item := range items {
		isObject := false
		if item.Changed() {
			isObject = item.IsObject()
		} else {
			_ = item.Use(func() { isObject = item.IsObject() }) // there are no edits that could fail
		}
		if isObject {
			continue
		}
		if len(results) == maxItemFaults {
			more++
			continue
		}
		message := itemFault(item.Root())
		results = append(results, report.Result{
			Message: fmt.Sprintf("items[%d] %s", i, message), Severity: report.SeverityError,
			Ref: report.RefOf(item.Root()), File: item.File(), Tags: invalidInput(),
		})
	}
	if more > 0 {
		results = append(results, report.Result{
			Message: fmt.Sprintf("%d more items must be maps with apiVersion and kind, and are not", more), Severity: report.SeverityError,
			Tags: invalidInput(),
		})
	}
	return results
}

// itemFault says why root is no object.
func itemFault(root *tree.Node) string {
	if !tree.IsMap(root) {
		return "must be a map with apiVersion and kind, found a " + tree.Type(root)
	}
	field := "apiVersion"
	if object.IsName(tree.Get(root, field)) {
		field = "kind"
	}
	return fmt.Sprintf("must have the field %s, a non-empty string, found %s", field, tree.Type(tree.Get(root, field)))
}

func invalidInput() map[string]string { return map[string]string{"reason": report.ReasonInvalidInput} }
