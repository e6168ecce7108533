package cel

import (
	"fmt"
	"maps"
	"slices"

	celgo "cel.dev/cel-go/cel"
)

// Loop is an expression that yields a list or a map to iterate over. It is safe for use by several
// goroutines.
type Loop struct{ program *Program }

// CompileLoop compiles a text that must be one expression in ${…}. The error is a *SyntaxError,
// also where the expression can't yield a list or a map.
func (e *Environment) CompileLoop(text string) (*Loop, error) {
	program, err := e.CompileWhole(text)
	if err != nil {
		return nil, err
	}
	switch program.output.Kind() {
	case celgo.ListKind, celgo.MapKind, celgo.DynKind, celgo.NullTypeKind:
		return &Loop{program}, nil
	}
	reason := fmt.Sprintf("it must yield a list or a map, found an expression of the type %s", program.output)
	return nil, &SyntaxError{Expression: program.expression, Reason: reason}
}

// String returns the expression as written.
func (l *Loop) String() string { return l.program.expression }

// Elements returns the elements of the list; those of a map are maps themselves, {key, value},
// sorted by key. A null has none. The error is an *EvalError or a *LimitError.
func (l *Loop) Elements(variables map[string]any) ([]any, error) {
	v, err := l.program.Eval(variables)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	case map[string]any:
		elements := make([]any, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			elements = append(elements, map[string]any{"key": key, "value": v[key]})
		}
		return elements, nil
	}
	cause := "it must yield a list or a map, found " + typeName(v)
	return nil, &EvalError{Expression: l.program.expression, Cause: cause}
}
