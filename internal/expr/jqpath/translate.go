package jqpath

import (
	"errors"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// Translate writes a jq expression as a JSON Pointer that finds the same field. It has one where it
// is a path of names and indices that are written out: .spec.replicas, .data["a.b"],
// .spec.containers[0]?.image. Errors are *dialect.SyntaxError and *dialect.TranslateError.
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
