// Package kptfn is the function for Go programs on the SDK of kpt
// (https://pkg.go.dev/github.com/kptdev/krm-functions-sdk/go/fn), which may chain it
// with functions of their own.
package kptfn

import (
	"slices"

	sdk "github.com/kptdev/krm-functions-sdk/go/fn"

	"github.com/krm-fields/krm-fields/internal/author/hostless"
)

// Process runs the functionConfig of a ResourceList on its items and adds the results to it. It is
// an fn.ResourceListProcessorFunc of the SDK; its output is that of the function in a host, in the
// order of the items. It returns false if a result is an error, be it one that came with the list;
// then the items are as they were. An object that does not change stays the same KubeObject, and
// one that changes does so in place. The error is that of an object that can't be read or written.
func Process(list *sdk.ResourceList) (bool, error) {
	if slices.ContainsFunc(list.Results, func(r *sdk.Result) bool { return r.Severity == sdk.Error }) {
		return false, nil
	}
	input := make([]string, len(list.Items))
	for i, item := range list.Items {
		input[i] = item.String()
	}
	functionConfig := ""
	if list.FunctionConfig != nil && !list.FunctionConfig.IsEmpty() {
		functionConfig = list.FunctionConfig.String()
	}
	out, nodes, failed, err := hostless.RunTexts(functionConfig, input)
	if err != nil {
		return false, err
	}
	results, err := hostless.DecodeResults[sdk.Result](nodes)
	if list.Results = append(list.Results, results...); err != nil || failed {
		return false, err
	}
	list.Items, err = hostless.UpdateTexts(list.Items, out, sdk.ParseKubeObject, func(old, made *sdk.KubeObject) { *old = *made })
	return err == nil, err
}
