// Package kptfn is the function for Go programs on the SDK of kpt
// (https://pkg.go.dev/github.com/kptdev/krm-functions-sdk/go/fn), which may chain it
// with functions of their own.
package kptfn

import (
	sdk "github.com/kptdev/krm-functions-sdk/go/fn"

	"github.com/krm-fields/krm-fields/fn/internal/texts"
)

// Process runs the functionConfig of a ResourceList on its items and adds the results to it. It is
// an fn.ResourceListProcessorFunc of the SDK; its output is that of the function in a host, in the
// order of the items. It returns false if a result is an error; then the items are as they were. An
// object that does not change stays the same KubeObject, and one that changes does so in place. The
// error is that of an object that can't be read or written.
func Process(list *sdk.ResourceList) (bool, error) {
	input := make([]string, len(list.Items))
	for i, item := range list.Items {
		input[i] = item.String()
	}
	functionConfig := ""
	if list.FunctionConfig != nil && !list.FunctionConfig.IsEmpty() {
		functionConfig = list.FunctionConfig.String()
	}
	out, nodes, failed, err := texts.Run(functionConfig, input)
	if err != nil {
		return false, err
	}
	for _, node := range nodes {
		var result sdk.Result
		if err := node.Decode(&result); err != nil {
			return false, err
		}
		list.Results = append(list.Results, &result)
	}
	if failed {
		return false, nil
	}
	list.Items, err = itemsOf(list.Items, out)
	return err == nil, err
}

// itemsOf returns the output objects. All texts are parsed before the first object changes.
func itemsOf(before sdk.KubeObjects, out []texts.Item) (sdk.KubeObjects, error) {
	items := make(sdk.KubeObjects, len(out))
	for i, item := range out {
		if item.Text == nil {
			continue
		}
		var err error
		if items[i], err = sdk.ParseKubeObject(item.Text); err != nil {
			return before, err
		}
	}
	for i, item := range out {
		if item.From < 0 {
			continue
		}
		if item.Text != nil {
			*before[item.From] = *items[i]
		}
		items[i] = before[item.From]
	}
	return items, nil
}
