package jsonpointer

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// Translate writes a JSON Pointer with segments * as a jq expression that finds the same fields,
// for programs in which * is an ordinary key. One without * comes back as it is. Errors are
// *dialect.SyntaxError and *dialect.TranslateError.
func Translate(expression string) (into, translated string, err error) {
	if _, err := Parse(expression); err != nil {
		return "", "", err
	}
	segments := location.PointerSegments(expression)
	if !slices.Contains(segments, "*") {
		return names.Name, expression, nil
	}
	w := &jq.Writer{PassesOver: true}
	for _, segment := range segments {
		switch {
		case segment == "*":
			// `*` stands for the elements of a list only, not for the members of a map.
			w.Stage("arrays[]")
		case location.IsDigits(segment) || segment == "-":
			return "", "", &dialect.TranslateError{
				Dialect: names, Into: dialect.JQ.Noun, Expression: expression,
				Cause: `"` + segment + `" may be an index or a key, which jq distinguishes`,
			}
		default:
			w.Key(segment)
		}
	}
	return dialect.JQ.Name, w.String(), nil
}
