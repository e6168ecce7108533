package locate

import "slices"

// TranslateJSONPointer writes a JSON Pointer with segments * as a jq expression
// that finds the same fields, for programs in which * is an ordinary key. One
// without * comes back as it is, with false. Errors are *SyntaxError and
// *TranslateError.
func TranslateJSONPointer(expression string) (translated string, isJQ bool, err error) {
	if _, err := ParseJSONPointer(expression); err != nil {
		return "", false, err
	}
	segments := PointerSegments(expression)
	if !slices.Contains(segments, "*") {
		return expression, false, nil
	}
	w := &jqWriter{}
	for _, segment := range segments {
		switch {
		case segment == "*":
			// `*` stands for the elements of a list only, not for the members of a map.
			w.stage("arrays[]")
		case isDigits(segment) || segment == "-":
			return "", false, &TranslateError{
				Dialect: JSONPointer, Into: JQ, Expression: expression,
				Cause: `"` + segment + `" may be an index or a key, which jq tells apart`,
			}
		default:
			w.step(JQField(segment))
		}
	}
	return w.String(), true, nil
}
