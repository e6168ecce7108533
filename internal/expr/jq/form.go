package jq

import (
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// form says whether a filter is a path expression, one that only moves around in its input.
type form int

const (
	// valueForm never is: it makes a value of its own.
	valueForm form = iota
	// mixedForm is one for some inputs: it has branches of both kinds.
	mixedForm
	// pathForm always is.
	pathForm
)

// IsProjection tells whether an expression that CompilePath takes makes a value of its input,
// whatever that is, and so is no path expression to other programs: `.data | to_entries |
// map(select(.key | startswith("a"))) | from_entries`.
func IsProjection(expression string) bool {
	query, err := gojq.Parse(expression)
	return err == nil && (&forms{}).of(query) == valueForm
}

// branch is the form of two alternatives.
func branch(a, b form) form {
	if a == b {
		return a
	}
	return mixedForm
}

// forms are those of the functions that are defined around a query, the innermost last.
type forms []definition

type definition struct {
	name string
	form form
}

// enter adds the definitions of a query. A function that calls itself is taken for a path
// expression there, and so are parameters; one with a dollar is a value by both names.
func (f *forms) enter(definitions []*gojq.FuncDef) {
	for _, d := range definitions {
		*f = append(*f, definition{functionKey(d.Name, len(d.Args)), pathForm})
		here := len(*f)
		for _, parameter := range d.Args {
			name, isValue := strings.CutPrefix(parameter, "$")
			form := pathForm
			if isValue {
				form = valueForm
			}
			*f = append(*f, definition{functionKey(name, 0), form})
		}
		body := f.of(d.Body)
		*f = (*f)[:here]
		(*f)[here-1].form = body
	}
}

func functionKey(name string, arguments int) string {
	return name + "/" + strconv.Itoa(arguments)
}

// of returns the form of q.
func (f *forms) of(q *gojq.Query) form {
	outer := len(*f)
	defer func() { *f = (*f)[:outer] }()
	f.enter(q.FuncDefs)
	switch {
	case q.Term != nil:
		return f.ofTerm(q.Term)
	case q.Op == gojq.OpPipe && len(q.Patterns) > 0:
		return f.of(q.Right)
	case q.Op == gojq.OpPipe:
		return min(f.of(q.Left), f.of(q.Right))
	case q.Op == gojq.OpComma, q.Op == gojq.OpAlt:
		return branch(f.of(q.Left), f.of(q.Right))
	}
	return valueForm
}

// ofTerm leaves the suffixes of t aside: to go on from a place, or from a value, changes nothing.
func (f *forms) ofTerm(t *gojq.Term) form {
	switch t.Type {
	case gojq.TermTypeIdentity, gojq.TermTypeRecurse, gojq.TermTypeIndex, gojq.TermTypeBreak:
		return pathForm
	case gojq.TermTypeQuery:
		return f.of(t.Query)
	case gojq.TermTypeLabel:
		return f.of(t.Label.Body)
	case gojq.TermTypeFunc:
		return f.ofCall(t.Func)
	case gojq.TermTypeIf:
		return f.ofIf(t.If)
	case gojq.TermTypeTry:
		if t.Try.Catch == nil {
			return f.of(t.Try.Body)
		}
		return branch(f.of(t.Try.Body), mixedForm)
	case gojq.TermTypeReduce:
		// It is one where the end is the place that it starts from.
		return min(f.of(t.Reduce.Start), mixedForm)
	case gojq.TermTypeForeach:
		return mixedForm
	}
	return valueForm
}

func (f *forms) ofIf(i *gojq.If) form {
	result := f.of(i.Then)
	for _, elif := range i.Elif {
		result = branch(result, f.of(elif.Then))
	}
	if i.Else == nil {
		return branch(result, pathForm)
	}
	return branch(result, f.of(i.Else))
}

func (f *forms) ofCall(c *gojq.Func) form {
	key := functionKey(c.Name, len(c.Args))
	for _, d := range slices.Backward(*f) {
		if d.name != key {
			continue
		}
		result := d.form
		for _, argument := range c.Args {
			if f.of(argument) != pathForm {
				result = min(result, mixedForm)
			}
		}
		return result
	}
	switch argument, ok := pathArgument[key]; {
	case !ok:
		return valueForm
	case argument >= 0:
		return f.of(c.Args[argument])
	}
	return pathForm
}

// pathArgument holds the builtin functions that move around in their input, and the argument that
// must do so itself, or -1.
var pathArgument = map[string]int{
	"empty/0": -1, "error/0": -1, "error/1": -1, "select/1": -1, "getpath/1": -1,
	"recurse/0": -1, "recurse/1": 0, "recurse/2": 0,
	"first/0": -1, "last/0": -1, "nth/1": -1,
	"first/1": 0, "limit/2": 1, "skip/2": 1, "nth/2": 1, "until/2": 1, "while/2": 1, "repeat/1": 0,
	"arrays/0": -1, "objects/0": -1, "iterables/0": -1, "scalars/0": -1, "values/0": -1, "nulls/0": -1,
	"booleans/0": -1, "numbers/0": -1, "strings/0": -1, "finites/0": -1, "normals/0": -1,
}

// cutPrefix takes the plain field names that the expression starts with off it and returns them:
// `.a.b[].c` becomes `.[].c`. What is left, run on the value at those fields, does what the whole
// did.
func cutPrefix(query *gojq.Query) []string {
	first := query
	for first.Op == gojq.OpPipe && len(first.Patterns) == 0 && len(first.FuncDefs) == 0 {
		first = first.Left
	}
	t := first.Term
	if t == nil || len(first.FuncDefs) > 0 || t.Type != gojq.TermTypeIndex {
		return nil
	}
	steps := append([]*gojq.Suffix{{Index: t.Index}}, t.SuffixList...)
	var prefix []string
	for len(steps) > 0 && !isOptional(steps, 1) {
		name, ok := fieldName(steps[0])
		if !ok {
			break
		}
		prefix = append(prefix, name)
		steps = steps[1:]
	}
	if slices.ContainsFunc(steps, looksAtInput) {
		return nil // an index such as [.name] is asked for in the whole object
	}
	if len(prefix) > 0 {
		first.Term = &gojq.Term{Type: gojq.TermTypeIdentity, SuffixList: steps}
	}
	return prefix
}

// looksAtInput tells whether the index of a step is more than a constant.
func looksAtInput(step *gojq.Suffix) bool {
	if step.Index == nil {
		return false
	}
	isConstant := func(q *gojq.Query) bool {
		if q == nil {
			return true
		}
		_, isText := literalString(q)
		return isText || isNumber(q)
	}
	return !isConstant(step.Index.Start) || !isConstant(step.Index.End) ||
		step.Index.Str != nil && step.Index.Str.Queries != nil
}

func isOptional(steps []*gojq.Suffix, i int) bool {
	return i < len(steps) && steps[i].Optional
}

func fieldName(step *gojq.Suffix) (string, bool) {
	switch {
	case step.Index == nil:
		return "", false
	case step.Index.Name != "":
		return step.Index.Name, true
	case step.Index.Str != nil && step.Index.Str.Queries == nil:
		return step.Index.Str.Str, true
	case step.Index.Start != nil && !step.Index.IsSlice:
		return literalString(step.Index.Start)
	}
	return "", false
}

// literalString returns the text of a query that is just a string.
func literalString(q *gojq.Query) (string, bool) {
	if !isBare(q, gojq.TermTypeString) || q.Term.Str.Queries != nil {
		return "", false
	}
	return q.Term.Str.Str, true
}
