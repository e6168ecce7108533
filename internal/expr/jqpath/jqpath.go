package jqpath

import (
	"errors"
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// jqExpression is a compiled jq expression.
type jqExpression struct {
	expression string
	path       *jq.Path
	guesses    dialect.Guesses
}

// Parse compiles a jq path expression or projection; see jq.CompilePath. Errors are *SyntaxError
// and those of the limits of package guard, which Locate gives as they are, too.
func Parse(expression string, limits jq.Limits) (dialect.Expression, error) {
	path, err := jq.CompilePath(expression, limits)
	if err == nil {
		return &jqExpression{expression: expression, path: path}, nil
	}
	if guard.IsLimit(err) {
		return nil, err
	}
	var syntax *jq.SyntaxError
	if errors.As(err, &syntax) {
		syntax.Noun, syntax.Fix, syntax.Repaired = names.Noun, fixOf(syntax), ""
		return nil, syntax
	}
	return nil, &dialect.SyntaxError{Noun: names.Noun, Expression: expression, Reason: err.Error()}
}

// fixOf returns the fix that jq knows, or else that of an expression which is a path in another
// dialect.
func fixOf(err *jq.SyntaxError) string {
	text := strings.TrimSpace(err.Expression)
	if err.Repaired != "" || err.IsRefused || strings.HasPrefix(text, "/") {
		return err.FixAndRepair()
	}
	if g, ok := hint.Guess(text); ok && len(g) > 1 {
		if fix := Write(g); jq.Compiles(fix) {
			return fmt.Sprintf("write '%s'", fix)
		}
	}
	return err.Fix
}

func (e *jqExpression) Dialect() dialect.Names { return names }

func (e *jqExpression) String() string { return e.expression }

// Locate evaluates a simple expression on the nodes. For any other it looks up the fields that the
// expression starts with, so that only their value is converted to a Go value for jq.
func (e *jqExpression) Locate(in *dialect.Input) (dialect.Found, error) {
	locations, err := e.locations(in)
	if err != nil {
		return dialect.Found{}, e.convert(err, in)
	}
	if len(locations) == 0 && !in.WithoutHint {
		return e.notFound(in), nil
	}
	return dialect.Found{Locations: locations}, nil
}

func (e *jqExpression) locations(in *dialect.Input) ([]location.Location, error) {
	if steps, isSimple := e.path.Steps(); isSimple {
		if locations, _, ok := evaluateSteps(in.Root, steps, maxSteps); ok {
			return locations, nil
		}
	}
	paths, err := e.paths(in)
	if err != nil {
		return nil, err
	}
	locations := make([]location.Location, 0, len(paths))
	for _, path := range paths {
		locations = append(locations, locationOf(path))
	}
	return locations, nil
}

func (e *jqExpression) paths(in *dialect.Input) ([][]any, error) {
	prefix := e.path.Prefix()
	if len(prefix) == 0 {
		return e.path.Paths(in.Value(), in.Reporter)
	}
	node, ok := lookUp(in.Root, prefix)
	if !ok {
		return e.path.Paths(in.Value(), in.Reporter)
	}
	return e.path.PathsFrom(tree.Value(node), in.Reporter)
}

// lookUp returns the value at the fields, or nil; false if one of them is looked up in what is no
// map.
func lookUp(node *tree.Node, fields []string) (*tree.Node, bool) {
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

func (e *jqExpression) convert(err error, in *dialect.Input) error {
	var runtime *jq.RuntimeError
	if !errors.As(err, &runtime) {
		return err
	}
	hint := e.failureHint(in)
	converted := &dialect.RuntimeError{Dialect: names, Expression: e.expression, Cause: runtime.Cause + hint}
	if runtime.SafeCause != runtime.Cause {
		converted.SafeCause = runtime.SafeCause + hint
	}
	return converted
}

// failureHint says what to write instead of the expression, which fails on the object, where that
// can be known.
func (e *jqExpression) failureHint(in *dialect.Input) string {
	_, at, missing := e.followPrefix(in.Root)
	if fix := e.withElements(in.Root); fix != "" {
		return fmt.Sprintf("; %s is a list, write '%s'", dialect.Place(at), fix)
	}
	if fix := e.guesses.Fitting(e.expression, in.Root, Write, parse); fix != "" && !in.Declares(missing) {
		return fmt.Sprintf("; did you mean '%s'?", fix)
	}
	return ""
}

// fieldsFirst matches the fields that an expression begins with.
var fieldsFirst = words.Pattern(`^\s*(?:\.[A-Za-z_][A-Za-z0-9_]*)+`)

// withElements returns the expression with []? behind the list to which its first part leads; ""
// where it leads to none, or that expression fails on the object, too.
func (e *jqExpression) withElements(root *tree.Node) string {
	n, _, missing := e.followPrefix(root)
	path := fieldsFirst().FindString(e.expression)
	rest := e.expression[len(path):]
	if missing != nil || !tree.IsList(n) || path == "" || !strings.HasPrefix(strings.TrimSpace(rest), "|") {
		return ""
	}
	fix := path + "[]?" + rest
	if !e.guesses.Works(fix, root, parse) {
		return ""
	}
	return fix
}

// locationOf makes a location of a path of jq, which holds string keys and int indices.
func locationOf(path []any) location.Location {
	at := make(location.Location, 0, len(path))
	for _, step := range path {
		switch step := step.(type) {
		case string:
			at = append(at, location.Key(step))
		case int:
			at = append(at, location.Index(step))
		}
	}
	return at
}
