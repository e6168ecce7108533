package cel

import (
	"errors"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
)

func TestConditionHolds(t *testing.T) {
	e, variables := sample(t)
	for text, want := range map[string]bool{
		"${resource.spec.replicas > 1}":                true,
		" ${ resource.spec.replicas > 1 } ":            true,
		"resource.spec.replicas > 1":                   true,
		"resource.spec.replicas > 3":                   false,
		`resource.kind == "${x}"`:                      false,
		"resource.spec.missing > 1":                    false,
		"!(resource.spec.missing > 1)":                 false,
		"resource.spec.missing > 1 || true":            true,
		"has(resource.spec.replicas)":                  true,
		"resource.spec.containers[5].name == 'a'":      false,
		`resource.metadata.labels["app"] == port.name`: false,
		"dyn(true)": true,
	} {
		condition, err := e.CompileCondition(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := condition.Holds(variables); err != nil || got != want {
			t.Errorf("%s: got %v and the error %v, want %v", text, got, err, want)
		}
	}
}

func TestConditionHoldsErrors(t *testing.T) {
	e, variables := sample(t)
	for text, want := range map[string]string{
		"parameters.missing > 1": "CEL expression runtime error in 'parameters.missing > 1': no such key: missing",
		"${resource.kind}": "CEL expression runtime error in 'resource.kind': the condition must be true or " +
			"false, found a string",
		"resource.spec.none": "CEL expression runtime error in 'resource.spec.none': " +
			"the condition must be true or false, found null",
		"resource.kind > 1": "CEL expression runtime error in 'resource.kind > 1': no such overload: string > int",
	} {
		condition, err := e.CompileCondition(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := condition.Holds(variables); err == nil || err.Error() != want {
			t.Errorf("%s: got the error %v, want %s", text, err, want)
		}
	}
}

func TestCompileConditionErrors(t *testing.T) {
	e, _ := sample(t)
	for text, want := range map[string]string{
		"'a'": "invalid CEL expression ''a'': the condition must be true or false, found an " +
			"expression of the type string",
		"${1 + 1}": "invalid CEL expression '1 + 1': the condition must be true or false, found an " +
			"expression of the type int",
		"": "invalid CEL expression '': the expression must not be empty",
		"${a": "invalid CEL expression '${a' (line 1, column 1): ${ must be closed by }; write $${ " +
			"for a literal ${",
		"${true} && ${true}": "invalid CEL expression '${true} && ${true}': it must be one expression in ${…}; write ${true && true}",
		"true && ${true}": "invalid CEL expression 'true && ${true}' (line 1, column 9): Syntax error: token " +
			"recognition error at: '$'; " +
			"(line 1, column 15): Syntax error: mismatched input '}' expecting ':'; " +
			"write the condition as a whole, either in one ${…} or without",
	} {
		_, err := e.CompileCondition(text)
		if _, ok := errors.AsType[*fault.SyntaxError](err); !ok {
			t.Fatalf("%s: got the error %v, want a *SyntaxError", text, err)
		}
		if err.Error() != want {
			t.Errorf("%s: got the error %v, want %s", text, err, want)
		}
	}
}
