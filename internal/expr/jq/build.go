package jq

import (
	"slices"

	"github.com/itchyny/gojq"
)

// The functions below build nodes of gojq's syntax tree. An expression is inserted as a tree, never
// as text, so it can't escape from its place.

// The names of our own functions and variables have a character that no expression can write, so
// that no definition in one can hide them.
const (
	pathFunction = "jq:path"
	getFunction  = "jq:get"
	pathVariable = "$jq:path"
)

func identity() *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIdentity}}
}

// isBare tells whether q is nothing but a term of one of the types.
func isBare(q *gojq.Query, types ...gojq.TermType) bool {
	return q.Term != nil && len(q.FuncDefs) == 0 && len(q.Term.SuffixList) == 0 && slices.Contains(types, q.Term.Type)
}

func null() *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeNull}}
}

func call(name string, args ...*gojq.Query) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name, Args: args}}}
}

func pipe(left, right *gojq.Query) *gojq.Query {
	return &gojq.Query{Left: left, Op: gojq.OpPipe, Right: right}
}

// parenthesized returns q as one term.
func parenthesized(q *gojq.Query) *gojq.Term {
	return &gojq.Term{Type: gojq.TermTypeQuery, Query: q}
}

// list collects what the queries yield, one after the other, in an array.
func list(queries ...*gojq.Query) *gojq.Query {
	array := &gojq.Array{}
	for _, q := range queries {
		q = &gojq.Query{Term: parenthesized(q)}
		if array.Query != nil {
			q = &gojq.Query{Left: array.Query, Op: gojq.OpComma, Right: q}
		}
		array.Query = q
	}
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeArray, Array: array}}
}

func define(name, parameter string, body *gojq.Query) *gojq.FuncDef {
	return &gojq.FuncDef{Name: name, Args: []string{parameter}, Body: body}
}
