package jq

import (
	"errors"
	"strings"

	"github.com/itchyny/gojq"
)

// gojq does not export the types of its errors. So what they say is taken from their texts, most of
// which end in `: type (value)`; TestDescribe fails if gojq changes them.

// evaluationFailed is the cause where another one might quote values.
const evaluationFailed = "the evaluation failed"

// stringFunctions take strings only.
var stringFunctions = map[string]bool{
	"fromjson": true, "explode": true, "ascii_downcase": true, "ascii_upcase": true, "utf8bytelength": true,
	"ltrim": true, "rtrim": true, "trim": true, "startswith": true, "endswith": true, "ltrimstr": true,
	"rtrimstr": true, "trimstr": true, "split": true, "test": true, "match": true, "strptime": true,
}

// describe makes a failure of an error of gojq.
func describe(err error) *failure {
	if raised, ok := errors.AsType[gojq.ValueError](err); ok {
		text, isText := raised.Value().(string)
		if !isText {
			text = gojq.Preview(raised.Value())
		}
		return &failure{cause: shorten(text, 200), safe: "the expression raised an error (" + typeName(raised.Value()) + ")"}
	}
	what, operand, _ := strings.Cut(err.Error(), ": ")
	found, _, _ := strings.Cut(operand, " ")
	function, isApplied := strings.CutSuffix(what, " cannot be applied to")
	function, _, _ = strings.Cut(function, "(")
	isType := isTypeName(found) && (operand == found || strings.HasPrefix(operand, found+" ("))
	switch cause := what + " " + found; {
	case !isType || strings.Contains(operand, " and "):
		return &failure{cause: shorten(err.Error(), 200), safe: evaluationFailed}
	case isApplied && stringFunctions[function] && found == "null":
		return &failure{cause: function + ` only works on strings; a field that is missing is null: write (.name // "") for .name`}
	case isApplied && stringFunctions[function] && found != "string":
		return &failure{cause: function + " only works on strings"}
	case strings.HasPrefix(what, "invalid path"):
		return &failure{cause: "the expression computes a value and goes on from " + found + ", so it selects no field"}
	case strings.Contains(what, "("): // with arguments, which are values
		return &failure{cause: shorten(err.Error(), 200), safe: evaluationFailed}
	case cause == "cannot iterate over null":
		return &failure{cause: cause + "; []? skips what is missing"}
	case cause == "expected an object but got array":
		return &failure{cause: cause + "; []? goes to the elements of a list"}
	default:
		return &failure{cause: cause}
	}
}

func isTypeName(s string) bool {
	switch s {
	case "null", "boolean", "number", "string", "array", "object":
		return true
	}
	return false
}

// undefined returns what an error of gojq.Compile says is not defined, "" for another error, and
// whether it is a function without arguments.
func undefined(err error) (name string, isBare bool) {
	_, name, _ = strings.Cut(err.Error(), " not defined: ")
	name, arguments, _ := strings.Cut(name, "/")
	return name, arguments == "0"
}
