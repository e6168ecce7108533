package jq

import (
	"iter"

	"github.com/itchyny/gojq"
)

// all yields the queries, the terms or the definitions of a syntax tree, each after those in it, so
// that another one may be put in its place, and the number of constructs around it.
func all[N *gojq.Query | *gojq.Term | *gojq.FuncDef](query *gojq.Query) iter.Seq2[N, int] {
	return func(yield func(N, int) bool) {
		isOver := false
		visitor(func(node any, level int) {
			if n, ok := node.(N); ok && !isOver {
				isOver = !yield(n, level)
			}
		}).walk(query, 0)
	}
}

// visitor is called for each node, and goes through a syntax tree.
type visitor func(node any, level int)

// walk visits q. Brackets, keywords, prefix operators, arguments, bindings and arithmetic put what
// is in them one level down. The chains `a | b`, `a, b`, `a and b`, `a or b` and `a // b` don't,
// however long; an interpolated string counts a level for each piece, as gojq adds the pieces up
// one in the other.
func (v visitor) walk(q *gojq.Query, level int) {
	if q == nil {
		return
	}
	for _, d := range q.FuncDefs {
		v.walk(d.Body, level+1)
		v(d, level)
	}
	left, right := level+1, level+1
	switch q.Op {
	case gojq.OpComma, gojq.OpAnd, gojq.OpOr, gojq.OpAlt:
		left, right = level, level
	case gojq.OpPipe:
		left, right = level, level+min(len(q.Patterns), 1)
	}
	v.walk(q.Left, left)
	v.walkPatterns(q.Patterns, level)
	v.walk(q.Right, right)
	if q.Term != nil {
		v.walkTerm(q.Term, level)
	}
	v(q, level)
}

func (v visitor) walkTerm(t *gojq.Term, level int) {
	for _, q := range directQueries(t) {
		v.walk(q, level+1)
	}
	v.walkString(t.Str, level)
	if t.Index != nil {
		v.walkIndex(t.Index, level)
	}
	for _, suffix := range t.SuffixList {
		if suffix.Index != nil {
			v.walkIndex(suffix.Index, level)
		}
	}
	switch {
	case t.Unary != nil:
		v.walkTerm(t.Unary.Term, level+1)
	case t.Object != nil:
		for _, member := range t.Object.KeyVals {
			v.walkString(member.KeyString, level)
		}
	case t.Reduce != nil:
		v.walkPatterns(t.Reduce.Patterns, level)
	case t.Foreach != nil:
		v.walkPatterns(t.Foreach.Patterns, level)
	}
	v(t, level)
}

// directQueries returns the queries that t is made of, but for those in its strings, indices and
// patterns. Some may be nil.
func directQueries(t *gojq.Term) []*gojq.Query {
	switch {
	case t.Query != nil:
		return []*gojq.Query{t.Query}
	case t.Func != nil:
		return t.Func.Args
	case t.Array != nil:
		return []*gojq.Query{t.Array.Query}
	case t.Object != nil:
		var queries []*gojq.Query
		for _, member := range t.Object.KeyVals {
			queries = append(queries, member.KeyQuery, member.Val)
		}
		return queries
	case t.If != nil:
		queries := []*gojq.Query{t.If.Cond, t.If.Then, t.If.Else}
		for _, elif := range t.If.Elif {
			queries = append(queries, elif.Cond, elif.Then)
		}
		return queries
	case t.Try != nil:
		return []*gojq.Query{t.Try.Body, t.Try.Catch}
	case t.Reduce != nil:
		return []*gojq.Query{t.Reduce.Query, t.Reduce.Start, t.Reduce.Update}
	case t.Foreach != nil:
		return []*gojq.Query{t.Foreach.Query, t.Foreach.Start, t.Foreach.Update, t.Foreach.Extract}
	case t.Label != nil:
		return []*gojq.Query{t.Label.Body}
	}
	return nil
}

func (v visitor) walkString(s *gojq.String, level int) {
	if s == nil {
		return
	}
	for _, q := range s.Queries {
		v.walk(q, level+len(s.Queries))
	}
}

func (v visitor) walkIndex(i *gojq.Index, level int) {
	v.walkString(i.Str, level)
	v.walk(i.Start, level+1)
	v.walk(i.End, level+1)
}

func (v visitor) walkPatterns(patterns []*gojq.Pattern, level int) {
	for _, p := range patterns {
		v.walkPatterns(p.Array, level+1)
		for _, member := range p.Object {
			v.walkString(member.KeyString, level+1)
			v.walk(member.KeyQuery, level+1)
			if member.Val != nil {
				v.walkPatterns([]*gojq.Pattern{member.Val}, level+1)
			}
		}
	}
}
