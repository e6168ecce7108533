package jq

import (
	"slices"

	"github.com/itchyny/gojq"
)

// typeFunctions look at the type of what they meet, and the others at each value below it.
var typeFunctions = []string{
	"type", "tostring", "tojson", "tonumber", "ascii", "numbers", "strings", "booleans", "nulls", "objects", "scalars",
	"recurse", "paths", "leaf_paths", "walk", "tostream", "flatten", "add", "min", "max", "sort", "sort_by", "unique",
}

// membership are functions that compare what they meet with their arguments.
var membership = []string{"IN", "inside", "contains", "index", "rindex", "indices"}

// ComparesNumbers returns the first part of an expression that compares something in its input with
// a number, null or something else in it, and, of one that has none, the first part that looks at
// the type of its input; "" for none. It is for programs that hand gojq whole numbers of a type
// that it does not know: it takes them for null where it compares them, and panics where it looks
// at their type.
func ComparesNumbers(expression string) (comparison, typed string) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return "", ""
	}
	visitor(func(node any, _ int) {
		switch node := node.(type) {
		case *gojq.Query:
			if comparison == "" && comparisons[node.Op] && (meets(node.Left, node.Right) || meets(node.Right, node.Left)) {
				comparison = node.String()
			}
		case *gojq.Term:
			f := node.Func
			switch {
			case node.Type == gojq.TermTypeRecurse || node.Type == gojq.TermTypeFormat || f != nil && slices.Contains(typeFunctions, f.Name):
				if typed == "" {
					typed = withSuffixes(node, nil).String()
				}
			case comparison == "" && f != nil && slices.Contains(membership, f.Name) && slices.ContainsFunc(f.Args, hasNumberOrNull):
				comparison = f.String()
			}
		}
	}).walk(query)
	return comparison, typed
}

// meets tells whether x is something of the input, or a variable, which may be, and y is a number
// or null, or something of the input, too.
func meets(x, y *gojq.Query) bool {
	isVariable := isBare(x, gojq.TermTypeFunc) && x.Term.Func.Name[0] == '$'
	return (isVariable || readsInput(x)) && (isNumber(y) || isBare(y, gojq.TermTypeNull)) || readsInput(x) && readsInput(y)
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
	case gojq.TermTypeFunc: // $p.port
		return q.Term.Func.Name[0] == '$' && len(q.Term.SuffixList) > 0
	case gojq.TermTypeQuery:
		return len(q.Term.SuffixList) > 0 || readsInput(q.Term.Query)
	}
	return false
}

// hasNumberOrNull tells whether a number or null is written somewhere in q.
func hasNumberOrNull(q *gojq.Query) bool {
	for q := range all[*gojq.Query](q) {
		if isNumber(q) || isBare(q, gojq.TermTypeNull) {
			return true
		}
	}
	return false
}
