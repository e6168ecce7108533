package jq

import (
	"iter"
	"reflect"

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
		}).walk(query)
	}
}

// visitor is called for each node of a syntax tree, after those in it.
type visitor func(node any, level int)

// walk visits a syntax tree. Brackets, keywords, prefix operators, arguments, bindings and
// arithmetic put what is in them one level down. The chains `a | b`, `a, b`, `a and b`, `a or b`
// and `a // b` don't, however long; an interpolated string counts a level for each piece, as gojq
// adds the pieces up one in the other.
func (v visitor) walk(query *gojq.Query) { v.node(reflect.ValueOf(query), 0) }

// node visits a pointer to a node, or a list of them.
func (v visitor) node(n reflect.Value, level int) {
	if n.Kind() == reflect.Slice {
		for i := range n.Len() {
			v.node(n.Index(i), level)
		}
		return
	}
	if n.Kind() != reflect.Pointer || n.IsNil() {
		return
	}
	for i := range n.Elem().NumField() {
		if f := n.Elem().Field(i); (f.Kind() == reflect.Slice || f.Kind() == reflect.Pointer) && !f.IsNil() {
			v.node(f, level+levelsTo(n.Interface(), n.Elem().Type().Field(i)))
		}
	}
	v(n.Interface(), level)
}

// levelsTo is how many levels a field of a node is below it.
func levelsTo(node any, field reflect.StructField) int {
	inPattern := false
	switch node := node.(type) {
	case *gojq.Query:
		switch {
		case node.Op == gojq.OpPipe && field.Name == "Right":
			return min(len(node.Patterns), 1)
		case field.Name == "Left" && node.Op == gojq.OpPipe, binarySteps[node.Op] != 0:
			return 0
		}
	case *gojq.String:
		return len(node.Queries)
	case *gojq.Unary:
		return 1
	case *gojq.Pattern, *gojq.PatternObject:
		inPattern = true
	}
	switch field.Type {
	case reflect.TypeFor[*gojq.Query](), reflect.TypeFor[[]*gojq.Query]():
		return 1
	case reflect.TypeFor[*gojq.Pattern](), reflect.TypeFor[[]*gojq.Pattern]():
		if inPattern {
			return 1
		}
	}
	return 0
}
