package jq

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// The largest expression that is taken.
const (
	// MaxLength is in bytes.
	MaxLength = 64 << 10
	// MaxLevels is how deep constructs may be in each other; see visitor.walk for what counts.
	MaxLevels = 200
)

// parse returns the syntax tree of an expression that names nothing outside its input. The error is
// a *SyntaxError. It does not find undefined functions; see checkCompiles.
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
		return nil, &SyntaxError{
			Expression: expression, Reason: "must not be empty", Fix: "write a path expression such as .spec.replicas",
		}
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
			Reason:     fmt.Sprintf("must be at most %d bytes long, found %d", MaxLength, len(expression)),
		}
	}
	// gojq takes a NUL for the end and would ignore what follows.
	if at := strings.IndexByte(expression, 0); at >= 0 {
		return faultAt(expression, at, "must not have a NUL character")
	}
	if !utf8.ValidString(expression) {
		at := strings.IndexRune(expression, utf8.RuneError)
		return faultAt(strings.ToValidUTF8(expression, "\uFFFD"), at, "must be valid UTF-8")
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
			Reason:     fmt.Sprintf("must be at most %d levels deep, found %d", MaxLevels, deepest),
		}
	}
	return nil
}

// checkCompiles returns a *SyntaxError where gojq can't compile the expression: it names a
// function, a variable or a label that is not defined.
func checkCompiles(expression string, query *gojq.Query) error {
	_, err := gojq.Compile(query)
	if err == nil {
		return nil
	}
	fault := &SyntaxError{Expression: expression, Reason: err.Error()}
	name, arguments := undefined(err)
	if name == "" {
		return fault
	}
	fault.Line, fault.Column = positionOfName(expression, name)
	if arguments == 0 && !strings.HasPrefix(name, "$") {
		fault.Fix, fault.Repaired = fixUndefined(query, expression, name)
	}
	return fault
}
