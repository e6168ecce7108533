package jq

import (
	"reflect"
	"strings"

	"github.com/itchyny/gojq"
)

// gojq exports neither the types of its errors nor their content, and their texts quote values of
// the input. So they are read by reflection: the types and texts in unexported fields but not the
// values. All of that is in this file; TestDescribe and TestCompileRefuses fail if gojq changes it.

// causes holds the text for each error type of gojq that can come up while an expression runs. {x}
// stands for the type of the operand x, {=x} for the text x.
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
	"invalidPathError":          "the expression computes a value and goes on from {v}, so it selects no field",
	"invalidPathIterError":      "the expression computes a value and goes on from {v}, so it selects no field",
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

// causeOfNull is the cause of `[]` on null.
const causeOfNull = "cannot iterate over null"

// gojqError is the struct of an error of gojq; not valid for another one.
type gojqError struct{ reflect.Value }

// structOf returns the error, or the one in what ends a `try`.
func structOf(v reflect.Value) gojqError {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case v.Kind() != reflect.Struct:
		return gojqError{}
	case v.Type().Name() == "tryEndError":
		return structOf(v.FieldByName("err"))
	}
	return gojqError{v}
}

// cause describes the error by its type and those of its operands; "" for one that is not known.
func (e gojqError) cause() string {
	switch {
	case !e.IsValid():
		return ""
	case e.Type() == reflect.TypeFor[stringIndexError]():
		return intoString
	}
	if e.Type().Name() == "expectedObjectError" && e.typeOf("v") == "array" {
		return "expected an object but got array; []? goes to the elements of a list"
	}
	if name := e.FieldByName("name"); name.IsValid() && stringFunctions[name.String()] && e.typeOf("v") != "string" {
		cause := name.String() + " only works on strings"
		if e.typeOf("v") == "null" {
			cause += `; a field that is missing is null: write (.name // "") for .name`
		}
		return cause
	}
	cause := e.fill(causes[e.Type().Name()])
	inner := e.FieldByName("err")
	if cause == "" || !inner.IsValid() {
		return cause
	}
	// gojq does not export the texts of a function's own errors.
	if reason := structOf(inner).cause(); reason != "" && reason != causes["errorString"] {
		return cause + ": " + reason
	}
	return cause
}

// fill puts the texts and types of the fields into a cause.
func (e gojqError) fill(cause string) string {
	for i := range e.NumField() {
		field := e.Type().Field(i).Name
		cause = strings.ReplaceAll(cause, "{="+field+"}", e.Field(i).String())
		cause = strings.ReplaceAll(cause, "{"+field+"}", e.typeOf(field))
	}
	return cause
}

// typeOf names the type of the value in a field, as gojq.TypeOf does; "" where there is no such
// field.
func (e gojqError) typeOf(field string) string {
	f := e.FieldByName(field)
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

// undefined returns what err says is not defined, "" for another error, and the number of arguments
// of a function.
func undefined(err error) (name string, arguments int) {
	v := reflect.ValueOf(err)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return "", 0
	}
	v = v.Elem()
	if f := v.FieldByName("f"); f.IsValid() && f.Type() == reflect.TypeFor[*gojq.Func]() {
		return f.Elem().FieldByName("Name").String(), f.Elem().FieldByName("Args").Len()
	}
	if n := v.FieldByName("n"); n.IsValid() && n.Kind() == reflect.String {
		return n.String(), 0
	}
	return "", 0
}
