package jq

import (
	"strings"

	"github.com/itchyny/gojq"
)

// Mistake is an expression that is valid and certainly not intended.
type Mistake struct {
	Reason string // what the expression does, after its text
	Fix    string // the intended expression
}

// MistakeIn returns the first mistake that is found in an expression; false if there is none.
func MistakeIn(expression string) (Mistake, bool) {
	inSelect := strings.Contains(expression, "select")
	for _, m := range []struct {
		reason   string
		mayHave  bool
		rewrites func(q *gojq.Query) bool
	}{
		{"assigns a value inside select, so select keeps everything; to compare, write",
			inSelect && strings.Contains(expression, "="), compareInSelect},
		{"has a string beside or, which counts as true, so select keeps everything; to compare, write",
			inSelect && strings.Contains(expression, "or"), compareAlternatives},
		{"has an if without else, which finds the whole value if the condition is false; to find nothing then, write",
			strings.Contains(expression, "if"), addElse},
	} {
		if !m.mayHave {
			continue
		}
		query, err := gojq.Parse(expression)
		if err != nil {
			return Mistake{}, false
		}
		if m.rewrites(query) {
			return Mistake{Reason: m.reason, Fix: query.String()}, true
		}
	}
	return Mistake{}, false
}

// assignments are the operators that change a value.
var assignments = map[gojq.Operator]bool{
	gojq.OpAssign: true, gojq.OpModify: true, gojq.OpUpdateAdd: true, gojq.OpUpdateSub: true,
	gojq.OpUpdateMul: true, gojq.OpUpdateDiv: true, gojq.OpUpdateMod: true, gojq.OpUpdateAlt: true,
}

// compareInSelect puts a comparison in the place of each assignment in the condition of a select,
// which keeps everything: an object is true.
func compareInSelect(query *gojq.Query) bool {
	return rewriteConditions(query, func(q *gojq.Query) bool {
		if !assignments[q.Op] {
			return false
		}
		q.Op = gojq.OpEq
		return true
	})
}

// compareAlternatives makes `.a == "x" or .a == "y"` of `.a == "x" or "y"` in the condition of a
// select.
func compareAlternatives(query *gojq.Query) bool {
	return rewriteConditions(query, func(q *gojq.Query) bool {
		if q.Op != gojq.OpOr || !isScalarLiteral(q.Right) || q.Right.Term.Type != gojq.TermTypeString {
			return false
		}
		compared := q.Left
		if compared.Op == gojq.OpOr {
			compared = compared.Right
		}
		if compared.Op != gojq.OpEq {
			return false
		}
		q.Right = &gojq.Query{Left: compared.Left, Op: gojq.OpEq, Right: q.Right}
		return true
	})
}

// rewriteConditions calls rewrite on each part of the conditions of select, and tells whether it
// has changed one.
func rewriteConditions(query *gojq.Query, rewrite func(q *gojq.Query) bool) bool {
	changed := false
	conditions := visitor{query: func(q *gojq.Query) { changed = rewrite(q) || changed }}
	selects := visitor{term: func(t *gojq.Term, _ int) {
		if isCall(t, "select") {
			conditions.walk(t.Func.Args[0], 0)
		}
	}}
	selects.walk(query, 0)
	return changed
}

// addElse adds `else empty` to each if without else that is a stage of the pipe or of a list of
// pipes, and tells whether there is one.
func addElse(q *gojq.Query) bool {
	if q.Op == gojq.OpPipe || q.Op == gojq.OpComma {
		left, right := addElse(q.Left), addElse(q.Right)
		return left || right
	}
	if q.Term == nil || q.Term.If == nil || q.Term.If.Else != nil {
		return false
	}
	q.Term.If.Else = call("empty")
	return true
}
