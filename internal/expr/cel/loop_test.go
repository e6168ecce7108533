package cel

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
)

func TestLoopElements(t *testing.T) {
	e, variables := sample(t)
	for text, want := range map[string][]any{
		"${parameters.ports}":                  {80, 443},
		"${[]}":                                {},
		"${resource.spec.none}":                nil,
		"${null}":                              nil,
		"${parameters.ports.map(p, {'p': p})}": {map[string]any{"p": 80}, map[string]any{"p": 443}},
		"${resource.metadata.labels}": {
			map[string]any{"key": "a", "value": "2"}, map[string]any{"key": "m", "value": "3"},
			map[string]any{"key": "z", "value": "1"},
		},
		"${{'b': 1, 'a': null}}": {map[string]any{"key": "a", "value": nil}, map[string]any{"key": "b", "value": 1}},
	} {
		loop, err := e.CompileLoop(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := loop.Elements(variables)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestLoopErrors(t *testing.T) {
	e, variables := sample(t)
	for text, want := range map[string]string{
		"parameters.ports": "invalid CEL expression 'parameters.ports': it must be one expression in ${…}; write " +
			"${parameters.ports}",
		"${1}":                "invalid CEL expression '1': it must yield a list or a map, found an expression of the type int",
		"${port.name}":        "CEL expression runtime error in 'port.name': it must yield a list or a map, found a string",
		"${resource.missing}": "CEL expression runtime error in 'resource.missing': no such key: missing",
	} {
		loop, err := e.CompileLoop(text)
		if err == nil {
			_, err = loop.Elements(variables)
		}
		_, isSyntax := errors.AsType[*fault.SyntaxError](err)
		if !isSyntax && !isTyped(err) {
			t.Fatalf("%s: got the error %v, want a typed one", text, err)
		}
		if err.Error() != want {
			t.Errorf("%s: got the error %v, want %s", text, err, want)
		}
	}
}
