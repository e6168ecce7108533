package jq

import "github.com/itchyny/gojq"

// isConstant tells whether every value that q yields is a string, number, boolean or null that does
// not depend on the input, so that it is no path of any input.
func isConstant(q *gojq.Query) bool {
	if q == nil || len(q.FuncDefs) > 0 {
		return false
	}
	switch q.Op {
	case gojq.OpPipe:
		return isConstant(q.Right)
	case gojq.OpDiv: // of two strings, it is a list
		return isConstant(q.Left) && isNumber(q.Right)
	}
	if q.Term == nil {
		return isConstant(q.Left) && isConstant(q.Right)
	}
	t := q.Term
	if len(t.SuffixList) > 0 {
		return false
	}
	switch t.Type {
	case gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNumber:
		return true
	case gojq.TermTypeString:
		return t.Str.Queries == nil
	case gojq.TermTypeUnary:
		return isConstant(&gojq.Query{Term: t.Unary.Term})
	case gojq.TermTypeQuery:
		return isConstant(t.Query)
	case gojq.TermTypeIf:
		return isConstantIf(t.If)
	}
	return false
}

func isConstantIf(i *gojq.If) bool {
	for _, elif := range i.Elif {
		if !isConstant(elif.Then) {
			return false
		}
	}
	return isConstant(i.Then) && isConstant(i.Else) // without else, it yields the input
}
