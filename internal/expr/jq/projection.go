package jq

import (
	"slices"
	"strconv"

	"github.com/itchyny/gojq"
)

// A projection is an expression that leaves some members of a value: let P be the longest leading
// part of its pipe that is a path expression, then the rest turns the value at P into an object or
// a list whose members all stand there.

// AsPath writes a projection that keeps entries of a map as a path expression, which finds the same
// fields in other programs: `.data | .[to_entries?[] | select(.key == "a") | .key]`. It returns
// false for any other expression.
func AsPath(expression string) (string, bool) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return "", false
	}
	before, condition := cutEntries(appendStages(nil, query))
	if condition == nil {
		return "", false
	}
	entries := &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: "to_entries"}, SuffixList: []*gojq.Suffix{{Optional: true}, {Iter: true}}}
	key := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIndex, Index: &gojq.Index{Name: "key"}}}
	keys := pipe(&gojq.Query{Term: entries}, pipe(call("select", condition), key))
	member := &gojq.Suffix{Index: &gojq.Index{Start: keys}}
	path := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIdentity, SuffixList: []*gojq.Suffix{member}}}
	for _, stage := range slices.Backward(before) {
		path = pipe(stage, path)
	}
	return path.String(), (&forms{}).of(path) == pathForm
}

// projection makes, of a syntax tree, one that yields for each place P
//
//	[[path, ...], value, [result, ...]]
//
// The paths put together lead to P, value is what is there, and the results are what the rest
// makes of it; there are none where value is null.
//
// Whether a part such as `.data // {}` is a path expression depends on the value. With least
// mixedForm, such parts are taken for one; isOther tells whether there are any. The query fails for
// a value where they are none.
func projection(q *gojq.Query, least form) (projecting *gojq.Query, isOther bool) {
	p := projector{least: least}
	q = p.split(q)
	return &gojq.Query{
		FuncDefs: []*gojq.FuncDef{
			define(pathFunction, "f", call("path", call("f"))),
			define(getFunction, "p", call("getpath", call("p"))),
		},
		Term: parenthesized(q),
	}, p.hasMixed
}

type projector struct {
	forms forms
	// least is the least form that a part of P may have, and hasMixed is set where one has
	// mixedForm.
	least    form
	hasMixed bool
	// paths holds the variables of the parts of P, the innermost last.
	paths []*gojq.Query
}

// split goes along the pipe q. Bindings and definitions stay around what follows them.
func (p *projector) split(q *gojq.Query) *gojq.Query {
	q = rotate(q)
	p.forms.enter(q.FuncDefs)
	switch {
	case q.Op == gojq.OpPipe && len(q.Patterns) > 0:
		return &gojq.Query{FuncDefs: q.FuncDefs, Left: q.Left, Op: q.Op, Patterns: q.Patterns, Right: p.split(q.Right)}
	case q.Op == gojq.OpPipe && p.isPath(q.Left):
		return p.step(q.FuncDefs, q.Left, q.Right)
	}
	whole := *q
	whole.FuncDefs = nil
	if q.Op != gojq.OpPipe && p.isPath(&whole) {
		return p.step(q.FuncDefs, &whole, nil)
	}
	return p.rest(q)
}

func (p *projector) isPath(q *gojq.Query) bool {
	f := p.forms.of(q)
	if f < p.least {
		return false
	}
	p.hasMixed = p.hasMixed || f == mixedForm
	return true
}

// step remembers where the path expression left leads to and goes on there.
func (p *projector) step(definitions []*gojq.FuncDef, left, right *gojq.Query) *gojq.Query {
	name := pathVariable + strconv.Itoa(len(p.paths))
	p.paths = append(p.paths, call(name))
	next := p.rest
	if right != nil {
		next = p.split
	} else {
		right = identity()
	}
	return &gojq.Query{
		FuncDefs: definitions,
		Left:     call(pathFunction, left),
		Op:       gojq.OpPipe,
		Patterns: []*gojq.Pattern{{Name: name}},
		Right:    pipe(call(getFunction, call(name)), next(right)),
	}
}

func (p *projector) rest(q *gojq.Query) *gojq.Query {
	isNull := &gojq.Query{Left: identity(), Op: gojq.OpEq, Right: null()}
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIf, If: &gojq.If{
		Cond: isNull,
		Then: list(list(p.paths...), null(), list()),
		Else: list(list(p.paths...), identity(), list(q)),
	}}}
}

// rotate makes a | (b | c) of (a | b) | c, and takes needless parentheses off.
func rotate(q *gojq.Query) *gojq.Query {
	for {
		if isBare(q, gojq.TermTypeQuery) {
			q = q.Term.Query
			continue
		}
		if q.Op != gojq.OpPipe || len(q.Patterns) > 0 {
			return q
		}
		left := rotate(q.Left)
		if left.Op != gojq.OpPipe || len(left.Patterns) > 0 || len(left.FuncDefs) > 0 {
			return q
		}
		q = &gojq.Query{FuncDefs: q.FuncDefs, Left: left.Left, Op: gojq.OpPipe, Right: pipe(left.Right, q.Right)}
	}
}

// members returns the keys or indices in value of what result leaves of it. It returns false where
// result has something that value lacks; a null under a key that value lacks is what jq
// makes of a missing member, and is nothing.
func members(value, result any) ([]any, bool) {
	switch result := result.(type) {
	case map[string]any:
		object, isObject := value.(map[string]any)
		keys := make([]any, 0, len(result))
		for key, member := range result {
			original, ok := object[key]
			if !ok && member == nil && isObject {
				continue
			}
			if !ok || canonical(original) != canonical(member) {
				return nil, false
			}
			keys = append(keys, key)
		}
		slices.SortFunc(keys, gojq.Compare)
		return keys, true
	case []any:
		elements, _ := value.([]any)
		return elementIndices(elements, result)
	}
	return nil, false
}

// elementIndices finds each element of result in elements. Equal ones are taken in order, each
// once.
func elementIndices(elements, result []any) ([]any, bool) {
	places := map[string][]int{}
	for i, element := range elements {
		key := canonical(element)
		places[key] = append(places[key], i)
	}
	indices := make([]any, 0, len(result))
	for _, element := range result {
		key := canonical(element)
		if len(places[key]) == 0 {
			return nil, false
		}
		indices = append(indices, places[key][0])
		places[key] = places[key][1:]
	}
	return indices, true
}

// canonical returns a text that is the same for equal values only. Numbers are equal by value,
// whatever their types.
func canonical(v any) string {
	text, _ := gojq.Marshal(plain(v)) // fails on no value of gojq
	return string(text)
}
