// Package jqpath is the dialect of jq path expressions and projections; package jq runs them.
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

var names = dialect.JQ

// Dialect is the entry of the table.
var Dialect = dialect.Dialect{
	Names:     names,
	Field:     "jqPathExpressions",
	Doc:       "jq path expressions.",
	Flag:      "jq",
	Usage:     "jq `EXPRESSION`, as in jqPathExpressions: .spec.replicas",
	Rank:      2,
	Parse:     Parse,
	Write:     Write,
	Translate: Translate,
	Segments:  func(text string) []string { return dialect.SegmentsOf(Translate(text)) },
	SkipsNull: true,
	Parts:     jq.Parts,
	Mistake:   jq.MistakeIn,
}

// parse is Parse for an expression that is not evaluated under limits of its own.
func parse(text string) (dialect.Expression, error) { return Parse(text, jq.Limits{}) }

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
	return nil, syntaxError(expression, err)
}

// syntaxError makes an error of the dialect of one of jq.
func syntaxError(expression string, err error) error {
	if guard.IsLimit(err) {
		return err
	}
	var syntax *jq.SyntaxError
	if errors.As(err, &syntax) {
		syntax.Noun, syntax.Fix, syntax.Repaired = names.Noun, fixOf(syntax), ""
		return syntax
	}
	return &dialect.SyntaxError{Noun: names.Noun, Expression: expression, Reason: err.Error()}
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
	locations, null, err := e.locations(in)
	if err != nil {
		return dialect.Found{}, e.convert(err, in)
	}
	if len(locations) == 0 && !in.WithoutHint {
		return e.notFound(in, null), nil
	}
	return dialect.Found{Locations: locations}, nil
}

// locations returns what the expression finds, and the first place to which its steps lead and that
// is null; nil for none.
func (e *jqExpression) locations(in *dialect.Input) (locations []location.Location, null location.Location, err error) {
	if steps, isSimple := e.path.Steps(); isSimple {
		var ok bool
		if locations, null, ok = evaluateSteps(in.Root, steps, maxSteps); ok {
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

// convert adds to an error of jq what to write instead of the expression, where that can be known.
func (e *jqExpression) convert(err error, in *dialect.Input) error {
	var runtime *jq.RuntimeError
	if !errors.As(err, &runtime) {
		return err
	}
	hint := ""
	_, at, missing := e.followPrefix(in.Root)
	if fix := e.withElements(in.Root); fix != "" {
		hint = fmt.Sprintf("; %s is a list, write '%s'", dialect.Place(at), fix)
	} else if fix := e.guesses.Fitting(e.expression, in.Root, Write, parse); fix != "" && !in.Declares(missing) {
		hint = fmt.Sprintf("; did you mean '%s'?", fix)
	}
	runtime.Cause += hint
	if runtime.SafeCause != "" {
		runtime.SafeCause += hint
	}
	return runtime
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

// Write writes a path as a jq expression, which callers verify. In an object without one of the
// lists it finds nothing, and does not fail.
func Write(path hint.Path) string {
	w := &jq.Writer{}
	for _, s := range path {
		switch s.Kind {
		case hint.Key:
			w.Key(s.Key)
		case hint.Index:
			w.Index(s.Key)
		case hint.Elements, hint.Members:
			w.Each()
		case hint.Filter:
			w.Each()
			texts := make([]string, len(s.Conditions))
			for i, c := range s.Conditions {
				field := &jq.Writer{}
				for _, name := range c.Field {
					field.Key(name)
				}
				texts[i] = field.String()
				if c.Operator != "" {
					texts[i] += " " + c.Operator + " " + c.Literal(jq.String)
				}
			}
			w.Stage("select(" + strings.Join(texts, " and ") + ")")
		}
	}
	return w.String()
}
