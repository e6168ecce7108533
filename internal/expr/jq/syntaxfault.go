package jq

import (
	"regexp"

	"github.com/itchyny/gojq"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
)

// otherSpellings are what other languages write for what jq has, by the token at which jq's parser
// stops.
var otherSpellings = map[string]string{
	"":  "close what is open, and write a filter such as .a behind an operator",
	"'": `a string must be in double quotes: "a"`,
	"~": `a regular expression is written test("...")`,
	"&": "write 'and' for &&",
	"!": "write '| not' for !",
}

// faultAt is the fault of an expression at an offset in bytes.
func faultAt(expression string, offset int, reason string) *SyntaxError {
	fault := &SyntaxError{Expression: expression, Reason: reason}
	fault.Line, fault.Column = hint.Position(expression, offset)
	return fault
}

// Compiles tells whether a text is a jq expression.
func Compiles(expression string) bool {
	query, err := gojq.Parse(expression)
	if err == nil {
		_, err = gojq.Compile(query)
	}
	return err == nil
}

// positionOfName returns where name is in the expression. It returns 0, 0 if it is there more than
// once, as gojq does not say which one it means.
func positionOfName(expression, name string) (line, column int) {
	found := regexp.MustCompile(`(^|[^\w.$:])`+regexp.QuoteMeta(name)+`\b`).FindAllStringSubmatchIndex(expression, 2)
	if len(found) != 1 {
		return 0, 0
	}
	return hint.Position(expression, found[0][3])
}
