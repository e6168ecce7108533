// Package kiofilter is the function for Go programs that hold their objects as nodes of kyaml
// (https://pkg.go.dev/sigs.k8s.io/kustomize/kyaml/kio), as kustomize does.
package kiofilter

import (
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/krm-fields/krm-fields/internal/author/hostless"
)

// Filter runs a functionConfig on objects; it is a kio.Filter. Its output is that of the function
// in a host.
type Filter struct {
	// FunctionConfig is that of one of the kinds, or the ConfigMap form.
	FunctionConfig *yaml.RNode
	// Results are those of the last call of Filter.
	Results framework.Results
}

// FailedError is a call with a result that is an error. Its text is that of all results.
type FailedError struct {
	Results framework.Results
}

func (e *FailedError) Error() string { return e.Results.Error() }

// Filter returns the output objects. One that changes changes in place. The error is a *FailedError
// if a result is an error, else that of an object that can't be read or written; no object changes
// then.
func (f *Filter) Filter(objects []*yaml.RNode) ([]*yaml.RNode, error) {
	f.Results = nil
	functionConfig, err := textOf(f.FunctionConfig)
	if err != nil {
		return nil, fmt.Errorf("the functionConfig can't be written: %w", err)
	}
	input := make([]string, len(objects))
	for i, o := range objects {
		if input[i], err = textOf(o); err != nil {
			return nil, fmt.Errorf("items[%d] can't be written: %w", i, err)
		}
	}
	out, nodes, failed, err := hostless.RunTexts(functionConfig, input)
	if err != nil {
		return nil, err
	}
	if f.Results, err = hostless.DecodeResults[framework.Result](nodes); err != nil {
		return nil, err
	}
	if failed {
		return nil, &FailedError{Results: f.Results}
	}
	parse := func(text []byte) (*yaml.RNode, error) { return yaml.Parse(string(text)) }
	return hostless.UpdateTexts(objects, out, parse, func(old, made *yaml.RNode) { old.SetYNode(made.YNode()) })
}

func textOf(n *yaml.RNode) (string, error) {
	if n.IsNilOrEmpty() {
		return "", nil
	}
	return n.String()
}
