package jq

import (
	"strings"

	"github.com/itchyny/gojq"
)

// Part is a part of an expression that is a list of them: `.a` of `.a, .b`.
type Part struct {
	// Text is the part as messages show it, Expression what it is as an expression of its own.
	Text, Expression string
}

// maxParts is how many parts are looked at one by one.
const maxParts = 100

// Parts returns the parts of an expression that is made of several with commas between them, also
// behind or before a pipe; none for another expression.
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
	queries := alternatives(query)
	if len(queries) < 2 || len(queries) > maxParts {
		return nil
	}
	definitions := query.FuncDefs
	parts := make([]Part, len(queries))
	for i, q := range queries {
		whole := *q
		whole.FuncDefs = append(definitions[:len(definitions):len(definitions)], q.FuncDefs...)
		parts[i] = Part{Text: q.String(), Expression: whole.String()}
	}
	return parts
}

// alternatives returns the queries that yield, one after the other, what q yields without its
// definitions: q itself where it is not made of several.
func alternatives(q *gojq.Query) []*gojq.Query {
	if inner, ok := inParentheses(q); ok && len(inner.FuncDefs) == 0 {
		if several := alternatives(inner); len(several) > 1 {
			return several
		}
		return []*gojq.Query{q}
	}
	switch {
	case q.Op == gojq.OpComma:
		return append(alternatives(q.Left), alternatives(q.Right)...)
	case q.Op == gojq.OpPipe && len(q.Patterns) == 0 && len(q.Right.FuncDefs) == 0:
		return piped(q, alternatives(q.Left), alternatives(q.Right))
	}
	return []*gojq.Query{q}
}

// piped returns the pipes from each on the left to each on the right of the pipe q, or q itself
// where it is one, or very many.
func piped(q *gojq.Query, left, right []*gojq.Query) []*gojq.Query {
	if count := len(left) * len(right); count == 1 || count > maxParts {
		return []*gojq.Query{q}
	}
	var all []*gojq.Query
	for _, l := range left {
		for _, r := range right {
			all = append(all, &gojq.Query{Left: l, Op: gojq.OpPipe, Right: r})
		}
	}
	return all
}
