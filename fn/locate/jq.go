package locate

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// jqExpression is a compiled jq expression.
type jqExpression struct {
	expression string
	path       *jq.Path
	guesses    guesses
}

// ParseJQ compiles a jq path expression or projection; see jq.CompilePath.
// Errors are *SyntaxError and *jq.CompilationError. Locate gives the errors of jq that end a run,
// *jq.TimeoutError, *jq.MemoryError and *jq.ChildError, as they are.
func ParseJQ(expression string, limits jq.Limits) (Expression, error) {
	path, err := jq.CompilePath(expression, limits)
	if err == nil {
		return &jqExpression{expression: expression, path: path}, nil
	}
	if _, isTooMuch := errors.AsType[*jq.CompilationError](err); isTooMuch {
		return nil, err
	}
	var syntax *jq.SyntaxError
	if errors.As(err, &syntax) {
		return nil, &SyntaxError{
			Dialect: JQ, Expression: syntax.Expression,
			Line: syntax.Line, Column: syntax.Column, Reason: syntax.Reason, Fix: jqFix(syntax),
		}
	}
	return nil, &SyntaxError{Dialect: JQ, Expression: expression, Reason: err.Error()}
}

// jqFix returns the fix that jq knows, or else that of an expression which is a
// path in another dialect.
func jqFix(err *jq.SyntaxError) string {
	text := strings.TrimSpace(err.Expression)
	if err.Repaired != "" || err.IsRefused || strings.HasPrefix(text, "/") {
		return err.FixAndRepair()
	}
	if g, ok := guessPath(text); ok && len(g) > 1 {
		if fix := g.jq(); jq.Compiles(fix) {
			return fmt.Sprintf("write '%s'", fix)
		}
	}
	return err.Fix
}

func (e *jqExpression) Dialect() string { return JQ }

func (e *jqExpression) String() string { return e.expression }

// Locate goes the steps of a simple expression by itself. Of another one it goes
// along the fields that it starts with, so that only what they lead to is made a
// Go value for jq.
func (e *jqExpression) Locate(in *Input) (Found, error) {
	locations, err := e.locations(in)
	if err != nil {
		return Found{}, e.convert(err, in.Root)
	}
	found := Found{Locations: locations}
	if len(locations) == 0 && !in.WithoutHint {
		found.Hint, found.Depth = e.hint(in.Root)
	}
	return found, nil
}

func (e *jqExpression) locations(in *Input) ([]Location, error) {
	if steps, isSimple := e.path.Steps(); isSimple {
		if locations, ok := goSteps(in.Root, steps); ok {
			return locations, nil
		}
	}
	paths, err := e.paths(in)
	if err != nil {
		return nil, err
	}
	locations := make([]Location, 0, len(paths))
	for _, path := range paths {
		locations = append(locations, fromPath(path))
	}
	return locations, nil
}

func (e *jqExpression) paths(in *Input) ([][]any, error) {
	prefix := e.path.Prefix()
	if len(prefix) == 0 {
		return e.path.Paths(in.Value())
	}
	node, ok := alongFields(in.Root, prefix)
	if !ok {
		return e.path.Paths(in.Value())
	}
	return e.path.PathsFrom(tree.Value(node))
}

// alongFields returns what stands at the fields, nil for nothing. It tells
// false where one of them is looked for in what is no map.
func alongFields(node *yaml.Node, fields []string) (*yaml.Node, bool) {
	for _, field := range fields {
		if node = tree.Deref(node); node == nil {
			return nil, true
		}
		if !tree.IsMap(node) {
			return nil, tree.Type(node) == tree.Null
		}
		node = tree.Lookup(node, field)
	}
	return node, true
}

func (e *jqExpression) convert(err error, root *yaml.Node) error {
	var runtime *jq.RuntimeError
	if !errors.As(err, &runtime) {
		return err
	}
	hint := ""
	if fix := e.guesses.fitting(e.expression, root, guess.jq, parseJQ); fix != "" {
		hint = fmt.Sprintf("; did you mean '%s'?", fix)
	}
	converted := &RuntimeError{Dialect: JQ, Expression: e.expression, Cause: runtime.Cause + hint}
	if runtime.SafeCause != runtime.Cause {
		converted.SafeCause = runtime.SafeCause + hint
	}
	return converted
}

// fromPath makes a location of a path of jq, which holds string keys and int
// indices.
func fromPath(path []any) Location {
	location := make(Location, 0, len(path))
	for _, step := range path {
		switch step := step.(type) {
		case string:
			location = append(location, Key(step))
		case int:
			location = append(location, Index(step))
		}
	}
	return location
}
