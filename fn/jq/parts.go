package jq

import (
	"strings"

	"github.com/itchyny/gojq"
)

// Part is a part of an expression that is a list of them: `.a` of `.a, .b`.
type Part struct {
	// Text is the part as messages show it, Expression what it is as an expression
	// of its own.
	Text, Expression string
}

// maxParts is how many parts are looked at one by one.
const maxParts = 100

// Parts returns the parts of an expression that is made of several with commas
// between them; none for another expression.
func Parts(expression string) []Part {
	if !strings.Contains(expression, ",") {
		return nil
	}
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil
	}
	for {
		inner, ok := inParentheses(query)
		if !ok {
			break
		}
		query = inner
	}
	if query.Op != gojq.OpComma {
		return nil
	}
	definitions := query.FuncDefs
	var queries []*gojq.Query
	for query.Op == gojq.OpComma {
		queries = append(queries, query.Right)
		query = query.Left
	}
	queries = append(queries, query)
	if len(queries) > maxParts {
		return nil
	}
	parts := make([]Part, len(queries))
	for i, q := range queries {
		whole := *q
		whole.FuncDefs = append(definitions[:len(definitions):len(definitions)], q.FuncDefs...)
		parts[len(parts)-1-i] = Part{Text: q.String(), Expression: whole.String()}
	}
	return parts
}

// assignments are the operators that change a value.
var assignments = map[gojq.Operator]bool{
	gojq.OpAssign: true, gojq.OpModify: true, gojq.OpUpdateAdd: true, gojq.OpUpdateSub: true,
	gojq.OpUpdateMul: true, gojq.OpUpdateDiv: true, gojq.OpUpdateMod: true, gojq.OpUpdateAlt: true,
}

// ComparisonFix returns the expression with a comparison for each assignment that
// is the condition of a select, which keeps everything: an object is true. It tells
// false where there is none.
func ComparisonFix(expression string) (fixed string, found bool) {
	if !strings.Contains(expression, "=") || !strings.Contains(expression, "select") {
		return "", false
	}
	query, err := gojq.Parse(expression)
	if err != nil {
		return "", false
	}
	compare := visitor{query: func(q *gojq.Query) {
		if assignments[q.Op] {
			q.Op, found = gojq.OpEq, true
		}
	}}
	selects := visitor{term: func(t *gojq.Term, _ int) {
		if isCall(t, "select") {
			compare.walk(t.Func.Args[0], 0)
		}
	}}
	selects.walk(query, 0)
	if !found {
		return "", false
	}
	return query.String(), true
}
