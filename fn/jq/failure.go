package jq

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/itchyny/gojq"
)

// failure is why an expression failed on one value, before the expression's
// text is added. It crosses from the child process to its parent.
type failure struct {
	kind failureKind
	// cause may show a value that the expression raises itself; safe is the
	// same without, "" where it is the same.
	cause, safe string
}

type failureKind int

const (
	plainFailure failureKind = iota
	// nullFailure is `[]` on null.
	nullFailure
	// valueFailure is an expression that yields a value instead of paths; the
	// cause is the type of that value.
	valueFailure
	// stringFailure is a path that leads into a string.
	stringFailure
)

func (f *failure) Error() string { return f.cause }

// describe makes a failure of an error of gojq. gojq's own texts quote values of
// the input, and its types are not exported, so the message is made anew from
// the names of the type and of the types of the operands.
func describe(err error) *failure {
	if raised, ok := err.(gojq.ValueError); ok {
		return describeRaised(raised.Value())
	}
	cause, kind := describeType(reflect.ValueOf(err))
	if cause == "" {
		cause = "the evaluation failed"
	}
	return &failure{cause: cause, kind: kind}
}

func describeRaised(value any) *failure {
	text, isText := value.(string)
	if !isText {
		text = gojq.Preview(value)
	}
	return &failure{cause: shorten(text, 200), safe: fmt.Sprintf("the expression raised an error (%s)", typeName(value))}
}

// causes holds the text for each error type of gojq that can come up while an
// expression runs. {x} stands for the type of the operand x, {=x} for the text x.
var causes = map[string]string{
	"expectedObjectError":       "expected an object but got {v}",
	"expectedArrayError":        "expected an array but got {v}",
	"iteratorError":             "cannot iterate over {v}",
	"arrayIndexNegativeError":   "an array index must not be negative",
	"arrayIndexTooLargeError":   "an array index is too large",
	"repeatStringTooLargeError": "the result of repeating a string is too large",
	"objectKeyNotStringError":   "expected a string for an object key but got {v}",
	"arrayIndexNotNumberError":  "expected a number for indexing an array but got {v}",
	"stringIndexNotNumberError": "expected a number for indexing a string but got {v}",
	"expectedStartEndError":     `expected "start" and "end" for slicing but got {v}`,
	"lengthMismatchError":       "the lengths differ",
	"func0TypeError":            "{=name} cannot be applied to {v}",
	"func1TypeError":            "{=name}({w}) cannot be applied to {v}",
	"func2TypeError":            "{=name}({w}; {x}) cannot be applied to {v}",
	"func0WrapError":            "{=name} cannot be applied to this {v}",
	"func1WrapError":            "{=name}({w}) cannot be applied to this {v}",
	"func2WrapError":            "{=name}({w}; {x}) cannot be applied to this {v}",
	"flattenDepthError":         "the depth of flatten must not be negative",
	"timeArrayError":            "a time must be an array of 8 numbers",
	"timeEpochError":            "the number of seconds is out of range",
	"timeNumberError":           "a number of a time is out of range",
	"unaryTypeError":            "cannot {=name} {v}",
	"binopTypeError":            "cannot {=name} {l} and {r}",
	"zeroDivisionError":         "cannot divide {l} by zero",
	"zeroModuloError":           "cannot divide {l} by zero",
	"formatNotFoundError":       "there is no such format",
	"formatRowError":            "@{=typ} cannot format an array with {v} in it",
	"invalidPathError":          "the expression leaves the path at {v}",
	"invalidPathIterError":      "the expression leaves the path at {v}",
	"breakError":                "break is outside of its label",
	// The only error of the standard library that gojq hands on.
	"errorString": "a regular expression or its flags are not valid",
}

// stringFunctions take strings only.
var stringFunctions = map[string]bool{
	"fromjson": true, "explode": true, "ascii_downcase": true, "ascii_upcase": true, "utf8bytelength": true,
	"ltrim": true, "rtrim": true, "trim": true, "startswith": true, "endswith": true, "ltrimstr": true,
	"rtrimstr": true, "trimstr": true, "split": true, "test": true, "match": true, "strptime": true,
}

// describeType describes an error by its type, "" for one that is not known. It
// reads unexported fields, for which reflection gives types and texts but not
// values.
func describeType(err reflect.Value) (string, failureKind) {
	for err.Kind() == reflect.Pointer || err.Kind() == reflect.Interface {
		err = err.Elem()
	}
	if err.Kind() != reflect.Struct {
		return "", plainFailure
	}
	name := err.Type().Name()
	if name == "tryEndError" {
		return describeType(err.FieldByName("err"))
	}
	if name == "stringIndexError" { // our own; see strings.go
		return intoString, plainFailure
	}
	cause := causes[name]
	operand := fieldType(err, "v")
	if name == "iteratorError" && operand == "null" {
		return "cannot iterate over null", nullFailure
	}
	if f := err.FieldByName("name"); f.IsValid() && stringFunctions[f.String()] && operand != "string" {
		return f.String() + " only works on strings", plainFailure
	}
	for i := range err.NumField() {
		field := err.Type().Field(i).Name
		cause = strings.ReplaceAll(cause, "{="+field+"}", err.Field(i).String())
		cause = strings.ReplaceAll(cause, "{"+field+"}", fieldType(err, field))
	}
	if inner := err.FieldByName("err"); inner.IsValid() && cause != "" {
		// Of the texts of a function's own errors none is known.
		if reason, _ := describeType(inner); reason != "" && reason != causes["errorString"] {
			cause += ": " + reason
		}
	}
	return cause, plainFailure
}

// fieldType names the type of the value in a field, as gojq.TypeOf does.
func fieldType(err reflect.Value, field string) string {
	f := err.FieldByName(field)
	if !f.IsValid() {
		return ""
	}
	for f.Kind() == reflect.Interface {
		f = f.Elem()
	}
	switch f.Kind() {
	case reflect.Invalid:
		return "null"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		if f.Type().Name() == "Number" {
			return "number"
		}
		return "string"
	case reflect.Slice:
		return "array"
	case reflect.Map:
		return "object"
	}
	return "number"
}
