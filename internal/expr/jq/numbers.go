package jq

import (
	"slices"
	"strings"

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
// place in its input on the other: `.port == 80`, `0 < .port`, but not `length > 1`. Either may be
// bound to a variable, or be in a map or list that is compared for equality. It is for programs
// that hand gojq whole numbers of a type that it does not take for a number.
func ComparesNumber(expression string) (NumberComparison, bool) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return NumberComparison{}, false
	}
	bound := bindingsOf(query)
	for q := range all[*gojq.Query](query) {
		if holdsForNull, ok := bound.compareWithNumber(q); ok {
			return NumberComparison{Text: q.String(), HoldsForNull: holdsForNull}, true
		}
	}
	return NumberComparison{}, false
}

// bindings are what the variables of an expression are bound to.
type bindings map[string]*gojq.Query

func bindingsOf(query *gojq.Query) bindings {
	bound := bindings{}
	visitor(func(node any, _ int) {
		switch node := node.(type) {
		case *gojq.Query:
			bound.add(node.Patterns, node.Left)
		case *gojq.Term:
			if node.Reduce != nil {
				bound.add(node.Reduce.Patterns, node.Reduce.Query)
			} else if node.Foreach != nil {
				bound.add(node.Foreach.Patterns, node.Foreach.Query)
			}
		}
	}).walk(query, 0)
	return bound
}

func (b bindings) add(patterns []*gojq.Pattern, source *gojq.Query) {
	for _, p := range patterns {
		if p.Name != "" {
			b[p.Name] = source
		}
		b.add(p.Array, source)
		for _, member := range p.Object {
			if strings.HasPrefix(member.Key, "$") {
				b[member.Key] = source
			}
			if member.Val != nil {
				b.add([]*gojq.Pattern{member.Val}, source)
			}
		}
	}
}

// maxBound is how many variables that are bound to others, and levels of maps and lists, are
// followed, since a variable may be bound anew to itself.
const maxBound = 20

// of returns what a variable is bound to, and q itself where it is none.
func (b bindings) of(q *gojq.Query) *gojq.Query {
	for range maxBound {
		if q == nil || !isBare(q, gojq.TermTypeFunc) || b[q.Term.Func.Name] == nil {
			break
		}
		q = b[q.Term.Func.Name]
	}
	return q
}

// compareWithNumber tells whether q is such a comparison, and whether it would hold for null.
func (b bindings) compareWithNumber(q *gojq.Query) (holdsForNull, ok bool) {
	if !comparisons[q.Op] {
		return false, false
	}
	left, right := b.of(q.Left), b.of(q.Right)
	switch {
	case q.Op == gojq.OpEq || q.Op == gojq.OpNe:
		return q.Op == gojq.OpNe, b.compares(left, right)
	case isNumber(right) && b.readsInput(left):
		return q.Op == gojq.OpLt || q.Op == gojq.OpLe, true
	}
	return q.Op == gojq.OpGt || q.Op == gojq.OpGe, isNumber(left) && b.readsInput(right)
}

// compares tells whether one of two sides is or has a number, and the other one is or has something
// of the input.
func (b bindings) compares(left, right *gojq.Query) bool {
	return b.has(left, isNumber) && b.has(right, b.readsInput) || b.has(right, isNumber) && b.has(left, b.readsInput)
}

func isNumber(q *gojq.Query) bool {
	if isBare(q, gojq.TermTypeUnary) {
		return isNumber(&gojq.Query{Term: q.Term.Unary.Term})
	}
	return isBare(q, gojq.TermTypeNumber)
}

// has tells whether q, or an element of the map or list that it writes out, is of a sort.
func (b bindings) has(q *gojq.Query, isOfSort func(*gojq.Query) bool) bool {
	return b.hasAbove(q, isOfSort, maxBound)
}

// hasAbove is has down to a number of levels.
func (b bindings) hasAbove(q *gojq.Query, isOfSort func(*gojq.Query) bool, levels int) bool {
	if q = b.of(q); q == nil || levels == 0 {
		return false
	}
	var elements []*gojq.Query
	switch {
	case isOfSort(q):
		return true
	case q.Op == gojq.OpComma:
		elements = []*gojq.Query{q.Left, q.Right}
	case isBare(q, gojq.TermTypeArray):
		elements = []*gojq.Query{q.Term.Array.Query}
	case isBare(q, gojq.TermTypeObject):
		for _, member := range q.Term.Object.KeyVals {
			value := member.Val
			switch {
			case value != nil:
			case strings.HasPrefix(member.Key, "$"): // {$port} is {port: $port}
				value = call(member.Key)
			default: // {port} is {port: .port}
				value = identity()
			}
			elements = append(elements, value)
		}
	}
	return slices.ContainsFunc(elements, func(e *gojq.Query) bool { return b.hasAbove(e, isOfSort, levels-1) })
}

// readsInput tells whether what q yields is a part of the input.
func (b bindings) readsInput(q *gojq.Query) bool {
	for q.Op == gojq.OpPipe {
		q = q.Right
	}
	if q = b.of(q); q.Term == nil {
		return false
	}
	switch q.Term.Type {
	case gojq.TermTypeIdentity, gojq.TermTypeIndex, gojq.TermTypeRecurse:
		return true
	case gojq.TermTypeFunc: // with a suffix: $p.port
		for t := range all[*gojq.Term](b[q.Term.Func.Name]) {
			if t.Type == gojq.TermTypeIdentity || t.Type == gojq.TermTypeIndex {
				return true
			}
		}
	case gojq.TermTypeQuery:
		return len(q.Term.SuffixList) > 0 || b.readsInput(q.Term.Query)
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
	bound := bindingsOf(query)
	visitor(func(node any, _ int) {
		if !ok {
			found, ok = bound.numberTrouble(node)
		}
	}).walk(query, 0)
	return found, ok
}

func (b bindings) numberTrouble(node any) (NumberTrouble, bool) {
	switch node := node.(type) {
	case *gojq.Query:
		isMet := func(x, y *gojq.Query) bool { return b.readsInput(x) && (isNull(y) || b.readsInput(y)) }
		isTrouble := false
		switch {
		case node.Op == gojq.OpEq || node.Op == gojq.OpNe:
			isTrouble = isMet(node.Left, node.Right) || isMet(node.Right, node.Left)
		case comparisons[node.Op]:
			isTrouble = b.compares(node.Left, node.Right)
		case node.Op == gojq.OpPipe && isBare(node.Right, gojq.TermTypeFunc) && slices.Contains(membership, node.Right.Term.Func.Name):
			isInput := func(q *gojq.Query) bool { return b.has(q, b.readsInput) }
			isTrouble = b.has(node.Left, isNumber) && slices.ContainsFunc(node.Right.Term.Func.Args, isInput)
		}
		if isTrouble {
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
