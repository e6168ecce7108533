package jq

import (
	"slices"

	"github.com/itchyny/gojq"
)

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
	var first NumberTrouble
	meet := func(text string, panics bool) {
		if first.Text == "" {
			first = NumberTrouble{Text: text, Panics: panics}
		}
	}
	v := visitor{
		query: func(q *gojq.Query) {
			if q.Op == gojq.OpEq || q.Op == gojq.OpNe {
				isMet := func(a, b *gojq.Query) bool { return readsInput(a) && (isNull(b) || readsInput(b)) }
				if isMet(q.Left, q.Right) || isMet(q.Right, q.Left) {
					meet(q.String(), false)
				}
			}
		},
		term: func(t *gojq.Term, _ int) {
			switch {
			case t.Type == gojq.TermTypeRecurse, t.Type == gojq.TermTypeFormat:
				meet(t.String(), true)
			case t.Func != nil && slices.Contains(typeFunctions, t.Func.Name):
				meet(t.Func.String(), true)
			case t.Func != nil && slices.Contains(membership, t.Func.Name) && slices.ContainsFunc(t.Func.Args, isNumberOrNull):
				meet(t.Func.String(), false)
			}
		},
	}
	v.walk(query, 0)
	return first, first.Text != ""
}

func isNull(q *gojq.Query) bool {
	return q.Term != nil && q.Term.Type == gojq.TermTypeNull && len(q.Term.SuffixList) == 0
}

// isNumberOrNull tells whether a number or null is written somewhere in q.
func isNumberOrNull(q *gojq.Query) bool {
	found := false
	v := visitor{query: func(q *gojq.Query) { found = found || isNumber(q) || isNull(q) }}
	v.walk(q, 0)
	return found
}
