package jq

import "github.com/itchyny/gojq"

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
	var first NumberComparison
	found := false
	v := visitor{query: func(q *gojq.Query) {
		if found {
			return
		}
		var holds bool
		if holds, found = comparesWithNumber(q); found {
			first = NumberComparison{Text: q.String(), HoldsForNull: holds}
		}
	}}
	v.walk(query, 0)
	return first, found
}

// comparesWithNumber tells whether q is such a comparison, and whether it would hold for null.
func comparesWithNumber(q *gojq.Query) (holdsForNull, ok bool) {
	var less, notEqual bool
	switch q.Op {
	case gojq.OpEq, gojq.OpGt, gojq.OpGe:
	case gojq.OpNe:
		notEqual = true
	case gojq.OpLt, gojq.OpLe:
		less = true
	default:
		return false, false
	}
	switch {
	case isNumber(q.Right) && readsInput(q.Left):
		return less || notEqual, true
	case isNumber(q.Left) && readsInput(q.Right):
		return q.Op == gojq.OpGt || q.Op == gojq.OpGe || notEqual, true
	}
	return false, false
}

func isNumber(q *gojq.Query) bool {
	if q.Term == nil || len(q.Term.SuffixList) > 0 {
		return false
	}
	if q.Term.Type == gojq.TermTypeUnary {
		return isNumber(&gojq.Query{Term: q.Term.Unary.Term})
	}
	return q.Term.Type == gojq.TermTypeNumber
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
