package jq

import (
	"slices"

	"github.com/itchyny/gojq"
)

// Total is a path expression written so that it fails on no value, for programs that fail where
// another passes over an expression that fails.
type Total struct {
	// Text finds what the expression finds, as far as that goes: where the expression fails, it
	// goes on with the other elements.
	Text string
	// Exact finds nothing where the expression fails.
	Exact string
	// MayFindMore tells whether there are values on which Text finds something and Exact does not,
	// though each field has the one type that a schema gives it.
	MayFindMore bool
}

// WithoutErrors writes a path expression so that it fails on no value that is an object. It tells
// false for what is no jq expression.
func WithoutErrors(expression string) (Total, bool) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return Total{}, false
	}
	total := Total{Exact: "getpath((try [path(" + query.String() + ")] catch [])[])"}
	var t totalizer
	total.Text = t.query(query, true).String()
	total.MayFindMore = t.mayFindMore
	return total, true
}

// totalizer writes `?` behind each step of a path expression that can fail.
type totalizer struct {
	// isMany is set once a step may lead to several places.
	isMany      bool
	mayFindMore bool
}

// query rewrites a query. atRoot is set where its input is the whole value.
func (t *totalizer) query(q *gojq.Query, atRoot bool) *gojq.Query {
	switch {
	case len(q.FuncDefs) > 0 || len(q.Patterns) > 0:
		return t.guarded(q)
	case q.Term != nil:
		return t.term(q.Term, atRoot)
	case q.Op == gojq.OpPipe:
		stays := atRoot && isBare(q.Left, gojq.TermTypeIdentity)
		left := t.query(q.Left, atRoot)
		return &gojq.Query{Left: left, Op: gojq.OpPipe, Right: t.query(q.Right, stays)}
	case q.Op == gojq.OpComma:
		left := t.query(q.Left, atRoot)
		t.isMany = true
		return &gojq.Query{Left: left, Op: gojq.OpComma, Right: t.query(q.Right, atRoot)}
	}
	return t.guarded(q)
}

// guarded puts `( )?` around a query whose parts are not looked into.
func (t *totalizer) guarded(q *gojq.Query) *gojq.Query {
	t.mayFindMore = t.mayFindMore || t.isMany
	t.isMany = true
	return &gojq.Query{Term: &gojq.Term{
		Type: gojq.TermTypeQuery, Query: q, SuffixList: []*gojq.Suffix{{Optional: true}},
	}}
}

func (t *totalizer) term(term *gojq.Term, atRoot bool) *gojq.Query {
	written := *term
	written.SuffixList = nil
	suffixes := term.SuffixList
	atObject := false
	switch term.Type {
	case gojq.TermTypeIdentity:
		atObject = atRoot
	case gojq.TermTypeIndex:
		written = gojq.Term{Type: gojq.TermTypeIdentity}
		suffixes = append([]*gojq.Suffix{{Index: term.Index}}, suffixes...)
		atObject = atRoot
	case gojq.TermTypeRecurse:
		t.isMany = true
	case gojq.TermTypeQuery:
		written.Query = t.query(term.Query, atRoot)
	default:
		t.call(&written)
		if len(suffixes) > 0 && suffixes[0].Optional {
			suffixes = suffixes[1:]
		}
	}
	t.suffixes(&written, suffixes, atObject)
	if written.Type == gojq.TermTypeIdentity && len(written.SuffixList) > 0 && written.SuffixList[0].Index != nil { // `.a` for `. .a`
		written = gojq.Term{Type: gojq.TermTypeIndex, Index: written.SuffixList[0].Index, SuffixList: written.SuffixList[1:]}
	}
	return &gojq.Query{Term: &written}
}

// suffixes appends the steps of a term, each with a `?` where it can fail. Only a step to a field
// of an object, which the whole value is, can't.
func (t *totalizer) suffixes(term *gojq.Term, suffixes []*gojq.Suffix, atObject bool) {
	for i, suffix := range suffixes {
		if suffix.Optional && i > 0 && !suffixes[i-1].Optional {
			continue // is written behind each step that needs one
		}
		term.SuffixList = append(term.SuffixList, suffix)
		if suffix.Optional {
			continue
		}
		_, isField := fieldName(suffix)
		if suffix.Iter {
			t.mayFindMore = t.mayFindMore || t.isMany && !isOptional(suffixes, i+1)
			t.isMany = true
		}
		if !atObject || !isField && !suffix.Iter {
			term.SuffixList = append(term.SuffixList, &gojq.Suffix{Optional: true})
		}
		atObject = false
	}
}

// safeFunctions are functions without arguments that fail on no value.
var safeFunctions = []string{
	"empty", "objects", "arrays", "strings", "numbers", "booleans", "nulls", "values", "iterables", "scalars",
}

// call rewrites a term that is no path of steps, such as select(…).
func (t *totalizer) call(term *gojq.Term) {
	if f := term.Func; term.Type == gojq.TermTypeFunc && len(f.Args) == 0 && slices.Contains(safeFunctions, f.Name) {
		return
	}
	isSelect := isCall(term, "select")
	if !isSelect || !hasOnlyComparisons(term.Func.Args[0]) {
		t.mayFindMore = t.mayFindMore || t.isMany
	}
	if !isSelect {
		t.isMany = true
	}
	term.SuffixList = []*gojq.Suffix{{Optional: true}}
}

// hasOnlyComparisons tells whether a condition is made of fields, literals, comparisons, `and`,
// `or` and functions that take what has a type of its own. It fails only where a step is to a field
// of what is no object.
func hasOnlyComparisons(q *gojq.Query) bool {
	if comparisons[q.Op] || q.Op == gojq.OpAnd || q.Op == gojq.OpOr || q.Op == gojq.OpPipe {
		return hasOnlyComparisons(q.Left) && hasOnlyComparisons(q.Right)
	}
	term := q.Term
	switch {
	case isNumber(q):
		return true
	case term == nil || len(q.FuncDefs) > 0:
		return false
	}
	for _, suffix := range term.SuffixList {
		if _, isField := fieldName(suffix); !isField && !suffix.Optional {
			return false
		}
	}
	switch term.Type {
	case gojq.TermTypeIdentity, gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse:
		return true
	case gojq.TermTypeString:
		return len(term.Str.Queries) == 0
	case gojq.TermTypeIndex:
		_, isField := fieldName(&gojq.Suffix{Index: term.Index})
		return isField
	case gojq.TermTypeQuery:
		return hasOnlyComparisons(term.Query)
	case gojq.TermTypeFunc:
		return len(term.Func.Args) == 0 && (term.Func.Name == "not" || term.Func.Name == "type") ||
			isCall(term, "has") && hasOnlyComparisons(term.Func.Args[0])
	}
	return false
}
