package cel

import (
	"context"
	"errors"
	"testing"

	celgo "cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/interpreter"
)

// TestInterpreter holds cel-go to what interpreter.go leans on.
func TestInterpreter(t *testing.T) {
	seen := map[string]int{}
	count := func(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		switch i.(type) {
		case interpreter.InterpretableCall:
			seen["call"]++
		case interpreter.InterpretableConstructor:
			seen["constructor"]++
		case interpreter.InterpretableAttribute:
			seen["attribute"]++
		}
		return i, nil
	}
	env, err := celgo.NewEnv(celgo.Variable("x", celgo.DynType))
	if err != nil {
		t.Fatal(err)
	}
	checked, issues := env.Compile(`[x.a.b] + [x.a.b]`)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	program, err := env.Program(checked, celgo.CustomDecoratorV2(count), celgo.InterruptCheckFrequency(100))
	if err != nil {
		t.Fatal(err)
	}
	if seen["call"] != 1 || seen["constructor"] != 2 || seen["attribute"] < 4 {
		t.Errorf("the decorator got %v, want 1 call, 2 constructors, and each of 2 attributes several times", seen)
	}
	stops := &activation{budget: &budget{}, variables: map[string]any{"x": func() any {
		(&budget{}).spend(1)
		return nil
	}}}
	if _, _, err := program.ContextEval(context.Background(), stops); !isCancelled(err) {
		t.Errorf("an evaluation without a budget must be cancelled, ended with %v", err)
	}
	missing := &activation{budget: &budget{}, variables: map[string]any{"x": map[string]any{}}}
	if _, _, err := program.ContextEval(context.Background(), missing); err == nil || isCancelled(err) {
		t.Errorf("a field that is missing must be an error of its own, is %v", err)
	}
	if again, _ := types.NoSuchOverloadErr().(*types.Err); noSuchOverload == nil || !errors.Is(again, noSuchOverload) {
		t.Errorf("an overload that does not exist must be one error, is %v and %v", noSuchOverload, again)
	}
}
