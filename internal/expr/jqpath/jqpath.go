// Package jqpath is the dialect of jq path expressions and projections; package jq runs them.
package jqpath

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var names = dialect.JQ

// Dialect is the entry of the table.
var Dialect = dialect.Dialect{
	Names:     names,
	Field:     "jqPathExpressions",
	Pattern:   `\S`,
	Doc:       "jq path expressions.",
	Flag:      "jq",
	Usage:     "jq `EXPRESSION`, as in jqPathExpressions: .spec.replicas",
	Rank:      2,
	Parse:     Parse,
	Write:     Write,
	Translate: Translate,
	Segments:  func(text string) []string { return dialect.SegmentsOf(Translate(text)) },
	SkipsNull: true,
	Mistake:   jq.MistakeIn,
}

// jqExpression is a compiled jq expression.
type jqExpression struct {
	expression string
	path       *jq.Path
}

// Parse compiles a jq path expression or projection; see jq.CompilePath. Errors are *SyntaxError
// and those of the limits of package guard, which Locate gives as they are, too.
func Parse(expression string, limits jq.Limits) (dialect.Expression, error) {
	path, err := jq.CompilePath(expression, limits)
	if err == nil {
		return &jqExpression{expression: expression, path: path}, nil
	}
	return nil, syntaxError(expression, err)
}

// syntaxError makes an error of the dialect of one of jq.
func syntaxError(expression string, err error) error {
	if guard.IsLimit(err) {
		return err
	}
	if syntax, ok := errors.AsType[*fault.SyntaxError](err); ok {
		syntax.Noun = names.Noun
		return syntax
	}
	return &fault.SyntaxError{Noun: names.Noun, Expression: expression, Reason: err.Error()}
}

func (e *jqExpression) Dialect() dialect.Names { return names }

func (e *jqExpression) String() string { return e.expression }

// Locate evaluates a simple expression on the nodes. For any other it looks up the fields that the
// expression starts with, so that only their value is converted to a Go value for jq.
func (e *jqExpression) Locate(in *dialect.Input) (dialect.Match, error) {
	locations, null, err := e.locations(in)
	if err != nil {
		return dialect.Match{}, e.withKey(err, in)
	}
	if len(locations) == 0 && !in.WithoutHint {
		return e.notFound(in, null), nil
	}
	return dialect.Match{Locations: locations}, nil
}

// locations returns what the expression finds, and the first place to which its steps lead and that
// is null; nil for none.
func (e *jqExpression) locations(in *dialect.Input) (locations []location.Location, null location.Location, err error) {
	if steps, isSimple := e.path.Steps(); isSimple {
		var ok bool
		if locations, null, ok = evaluateSteps(in, steps, maxSteps); ok {
			return locations, null, nil
		}
	}
	var value any
	n, at, missing := e.followPrefix(in.Root)
	taken := len(at)
	switch {
	case missing != nil:
		taken = len(e.path.Prefix())
	case taken == 0:
		value = in.Value()
	default:
		value = tree.Value(n)
	}
	paths, err := e.path.PathsFrom(value, taken, in.Reporter)
	if err != nil {
		return nil, nil, err
	}
	locations = make([]location.Location, len(paths))
	for i, path := range paths {
		locations[i] = locationOf(path)
	}
	return locations, null, nil
}

// locationOf makes a location of a path of jq, which holds string keys and int indices.
func locationOf(path []any) location.Location {
	at := make(location.Location, len(path))
	for i, step := range path {
		if index, isIndex := step.(int); isIndex {
			at[i] = location.Index(index)
			continue
		}
		at[i] = location.Key(step.(string))
	}
	return at
}

// withKey adds to an error of jq the field that the expression begins with and the object lacks.
func (e *jqExpression) withKey(err error, in *dialect.Input) error {
	n, _, missing := e.followPrefix(in.Root)
	runtime, ok := errors.AsType[*fault.RuntimeError](err)
	if !ok || missing == nil {
		return err
	}
	runtime.KeylessCause = cmp.Or(runtime.SafeCause, runtime.Cause)
	lacking := "; " + lacks(in, n, missing)
	runtime.Cause += lacking
	if runtime.SafeCause != "" {
		runtime.SafeCause += lacking
	}
	return runtime
}

// Write writes a path as a jq expression, which callers verify. In an object without one of the
// lists it finds nothing, and does not fail.
func Write(path hint.Path) string {
	w := &jq.Writer{}
	for _, s := range path {
		switch s.Kind {
		case hint.Key:
			w.Key(s.Key)
		case hint.Index:
			if s.Key == "*" {
				w.Each()
				continue
			}
			w.Index(s.Key)
		case hint.Filter:
			w.Each()
			texts := make([]string, len(s.Conditions))
			for i, c := range s.Conditions {
				field := &jq.Writer{}
				for _, name := range c.Field {
					field.Key(name)
				}
				texts[i] = field.String() + " == " + c.Literal(jq.String)
			}
			w.Stage("select(" + strings.Join(texts, " and ") + ")")
		}
	}
	return w.String()
}

// Translate writes a jq expression as a JSON Pointer that finds the same field. It has one where it
// is a path of names and indices that are written out: .spec.replicas, .data["a.b"],
// .spec.containers[0]?.image. Errors are *fault.SyntaxError and *dialect.TranslateError.
func Translate(expression string) (into, translated string, err error) {
	if jq.IsProjection(expression) {
		return "", "", errProjection
	}
	path, err := jq.CompilePath(expression, jq.Limits{})
	if err != nil {
		return "", "", syntaxError(expression, err)
	}
	fail := func(cause string) (into, translated string, err error) {
		return "", "", &dialect.TranslateError{Dialect: names, Into: dialect.JSONPointer.Noun, Expression: expression, Cause: cause}
	}
	steps, isSimple := path.Steps()
	var b strings.Builder
	for _, step := range steps {
		switch {
		case step.Kind == jq.IndexStep && step.Index >= 0:
			b.WriteString("/" + strconv.Itoa(step.Index))
		case step.Kind == jq.FieldStep && step.Text == "*":
			return fail(`the key "*" means every element of a list there`)
		case step.Kind == jq.FieldStep:
			b.WriteString("/" + location.EscapePointer(step.Text))
		default:
			isSimple = false
		}
	}
	switch {
	case !isSimple:
		return fail("a JSON Pointer has only keys and indices")
	case b.Len() == 0:
		return fail("it is the whole object")
	}
	return dialect.JSONPointer.Name, b.String(), nil
}

// errProjection is a jq expression that no one else takes.
var errProjection = errors.New("computes a value and is not a path expression; only krm-fields accepts that")
