package jq

import (
	"slices"

	"github.com/itchyny/gojq"
)

// NumberComparison is a comparison of something in the input with a number that is written out.
type NumberComparison struct {
	// Text is the comparison: `.port == 80`.
	Text string
	// HoldsForNull tells whether the comparison holds for null, which is less than any number.
	HoldsForNull bool
}

// ComparesNumber returns the first comparison of the expression that has a number on one side and a
// place in its input on the other: `.port == 80`, `0 < .port`, but not `length > 1`. It is for
// programs that hand gojq whole numbers of a type that it does not take for a number.
func ComparesNumber(expression string) (NumberComparison, bool) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return NumberComparison{}, false
	}
	for q := range all[*gojq.Query](query) {
		if holdsForNull, ok := comparesWithNumber(q); ok {
			return NumberComparison{Text: q.String(), HoldsForNull: holdsForNull}, true
		}
	}
	return NumberComparison{}, false
}

// comparesWithNumber tells whether q is such a comparison, and whether it would hold for null.
func comparesWithNumber(q *gojq.Query) (holdsForNull, ok bool) {
	switch {
	case !comparisons[q.Op]:
		return false, false
	case isNumber(q.Right) && readsInput(q.Left):
		return q.Op == gojq.OpLt || q.Op == gojq.OpLe || q.Op == gojq.OpNe, true
	}
	return q.Op == gojq.OpGt || q.Op == gojq.OpGe || q.Op == gojq.OpNe, isNumber(q.Left) && readsInput(q.Right)
}

func isNumber(q *gojq.Query) bool {
	if isBare(q, gojq.TermTypeUnary) {
		return isNumber(&gojq.Query{Term: q.Term.Unary.Term})
	}
	return isBare(q, gojq.TermTypeNumber)
}

// readsInput tells whether what q yields is a part of the input.
func readsInput(q *gojq.Query) bool {
	for q.Op == gojq.OpPipe {
		q = q.Right
	}
	if q.Term == nil {
		return false
	}
	switch q.Term.Type {
	case gojq.TermTypeIdentity, gojq.TermTypeIndex, gojq.TermTypeRecurse:
		return true
	case gojq.TermTypeQuery:
		return len(q.Term.SuffixList) > 0 || readsInput(q.Term.Query)
	}
	return false
}

// NumberTrouble is a part of an expression that goes wrong for programs that hand gojq whole
// numbers of a type that it does not know: it takes them for null where it compares them, and
// panics where it looks at their type.
type NumberTrouble struct {
	// Text is the part: `.nodePort == null`.
	Text   string
	Panics bool
}

// typeFunctions look at the type of what they meet, and the others at each value below it.
var typeFunctions = []string{
	"type", "tostring", "tojson", "tonumber", "ascii", "numbers", "strings", "booleans", "nulls", "objects", "scalars",
	"recurse", "paths", "leaf_paths", "walk", "tostream", "flatten", "add", "min", "max", "sort", "sort_by", "unique",
}

// membership are functions that compare what they meet with their arguments.
var membership = []string{"IN", "inside", "contains", "index", "rindex", "indices"}

// TroubledByNumbers returns the first such part of an expression, comparisons with numbers aside,
// which ComparesNumber finds.
func TroubledByNumbers(expression string) (NumberTrouble, bool) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return NumberTrouble{}, false
	}
	// Terms come before the queries that they are in.
	found, ok := NumberTrouble{}, false
	visitor(func(node any, _ int) {
		if !ok {
			found, ok = numberTrouble(node)
		}
	}).walk(query, 0)
	return found, ok
}

func numberTrouble(node any) (NumberTrouble, bool) {
	switch node := node.(type) {
	case *gojq.Query:
		isMet := func(a, b *gojq.Query) bool { return readsInput(a) && (isNull(b) || readsInput(b)) }
		if (node.Op == gojq.OpEq || node.Op == gojq.OpNe) && (isMet(node.Left, node.Right) || isMet(node.Right, node.Left)) {
			return NumberTrouble{Text: node.String()}, true
		}
	case *gojq.Term:
		f := node.Func
		switch {
		case node.Type == gojq.TermTypeRecurse, node.Type == gojq.TermTypeFormat:
			return NumberTrouble{Text: node.String(), Panics: true}, true
		case f != nil && slices.Contains(typeFunctions, f.Name):
			return NumberTrouble{Text: f.String(), Panics: true}, true
		case f != nil && slices.Contains(membership, f.Name) && slices.ContainsFunc(f.Args, hasNumberOrNull):
			return NumberTrouble{Text: f.String()}, true
		}
	}
	return NumberTrouble{}, false
}

func isNull(q *gojq.Query) bool { return isBare(q, gojq.TermTypeNull) }

// hasNumberOrNull tells whether a number or null is written somewhere in q.
func hasNumberOrNull(q *gojq.Query) bool {
	for q := range all[*gojq.Query](q) {
		if isNumber(q) || isNull(q) {
			return true
		}
	}
	return false
}
