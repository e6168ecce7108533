package jq

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// The largest expression that is taken.
const (
	// MaxLength is in bytes.
	MaxLength = 64 << 10
	// MaxLevels is how deep constructs may stand in each other; see
	// visitor.walk for what counts.
	MaxLevels = 200
)

// parse returns the syntax tree of an expression that names nothing outside its
// input. The error is a *SyntaxError. It does not find undefined functions; see
// checkCompiles.
func parse(expression string) (*gojq.Query, error) {
	if err := checkText(expression); err != nil {
		return nil, err
	}
	query, err := gojq.Parse(expression)
	if err != nil {
		var parseError *gojq.ParseError
		if errors.As(err, &parseError) {
			return nil, explainParseError(expression, parseError)
		}
		return nil, &SyntaxError{Expression: expression, Reason: err.Error()}
	}
	if query.Term == nil && query.Op == 0 && len(query.FuncDefs) == 0 && len(query.Imports) == 0 {
		return nil, &SyntaxError{Expression: expression, Reason: "the expression is empty, it must be a jq filter"}
	}
	if err := checkLevels(expression, query); err != nil {
		return nil, err
	}
	if err := checkNames(expression, query); err != nil {
		return nil, err
	}
	return query, nil
}

func checkText(expression string) error {
	if len(expression) > MaxLength {
		return &SyntaxError{
			Expression: shorten(expression, 80),
			Reason:     fmt.Sprintf("the expression is %d bytes long, it must be at most %d", len(expression), MaxLength),
		}
	}
	// gojq takes a NUL for the end and would ignore what follows.
	if at := strings.IndexByte(expression, 0); at >= 0 {
		return faultAt(expression, at, "the expression must not have a NUL character")
	}
	if !utf8.ValidString(expression) {
		at := strings.IndexRune(expression, utf8.RuneError)
		return faultAt(strings.ToValidUTF8(expression, "\uFFFD"), at, "the expression must be valid UTF-8")
	}
	return nil
}

func checkLevels(expression string, query *gojq.Query) error {
	deepest := 0
	v := visitor{term: func(_ *gojq.Term, level int) { deepest = max(deepest, level) }}
	v.walk(query, 0)
	if deepest > MaxLevels {
		return &SyntaxError{
			Expression: shorten(expression, 80),
			Reason:     fmt.Sprintf("the expression is %d levels deep, it must be at most %d", deepest, MaxLevels),
		}
	}
	return nil
}

// checkCompiles returns a *SyntaxError where gojq can't compile the expression:
// an undefined function or variable.
func checkCompiles(expression string, query *gojq.Query) error {
	_, err := gojq.Compile(query)
	if err == nil {
		return nil
	}
	fault := &SyntaxError{Expression: expression, Reason: err.Error()}
	name, arguments, ok := undefinedFunction(err)
	if !ok {
		return fault
	}
	fault.Line, fault.Column = positionOfName(expression, name)
	if arguments == 0 {
		fault.Fix = fixUndefined(query, name)
	}
	return fault
}

// undefinedFunction returns the name and the number of arguments of the
// function that err says is not defined. gojq keeps the type of that error to
// itself, so it is read by reflection.
func undefinedFunction(err error) (name string, arguments int, ok bool) {
	v := reflect.ValueOf(err)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return "", 0, false
	}
	f := v.Elem().FieldByName("f")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*gojq.Func]() {
		return "", 0, false
	}
	return f.Elem().FieldByName("Name").String(), f.Elem().FieldByName("Args").Len(), true
}
