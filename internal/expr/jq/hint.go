package jq

import (
	"fmt"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// hintNull adds to the failure of `[]` on null how it is left out. The expression is rewritten
// where it is clear which `[]` is meant.
func hintNull(expression, cause string) string {
	query, err := gojq.Parse(expression)
	if err != nil {
		return cause
	}
	var strict []*gojq.Term
	v := visitor{term: func(t *gojq.Term, _ int) {
		for i, suffix := range t.SuffixList {
			if suffix.Iter && !isOptional(t.SuffixList, i+1) {
				strict = append(strict, t)
			}
		}
	}}
	v.walk(query, 0)
	cause += "; []? skips what is missing"
	if len(strict) != 1 {
		return cause
	}
	var suffixes []*gojq.Suffix
	for i, suffix := range strict[0].SuffixList {
		suffixes = append(suffixes, suffix)
		if suffix.Iter && !isOptional(strict[0].SuffixList, i+1) {
			suffixes = append(suffixes, &gojq.Suffix{Optional: true})
		}
	}
	strict[0].SuffixList = suffixes
	return cause + fmt.Sprintf(", write '%s'", query)
}

// hintValue makes the cause of an expression that yields a value, of the type found, where places
// are needed.
func hintValue(expression, found string) string {
	cause := "a path expression must select fields of the object, such as .spec.replicas or " +
		`.spec.containers[] | select(.name == "app"), or keep some members of a map or list; this one yields `
	switch found {
	case "object", "array":
		cause += "an " + found + " with members that are not in its input"
	case "null":
		cause += "null; to select nothing, use empty"
	default:
		cause += "a " + found
	}
	if hint := documentHint(expression); hint != "" {
		return cause + hint
	}
	query, err := gojq.Parse(expression)
	if err != nil || !rewriteKeys(query) && !rewriteAsPath(query) {
		return cause
	}
	return cause + fmt.Sprintf("; write '%s'", query)
}

// rewriteKeys makes `with_entries(select(.key | f))` of `keys[] | select(f)` at the end of q, and
// tells whether it has.
func rewriteKeys(q *gojq.Query) bool {
	for ; q.Op == gojq.OpPipe; q = q.Right {
		if t := q.Left.Term; t != nil && t.Func != nil && strings.HasPrefix(t.Func.Name, "keys") && endsInElements(q.Left) &&
			q.Right.Term != nil && isCall(q.Right.Term, "select") {
			key := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIndex, Index: &gojq.Index{Name: "key"}}}
			*q = *call("with_entries", call("select", pipe(key, q.Right.Term.Func.Args[0])))
			return true
		}
	}
	return false
}

// rewriteAsPath makes a path expression of q where it is known how, and tells whether it has.
func rewriteAsPath(q *gojq.Query) bool {
	last, before := q, (*gojq.Query)(nil)
	for last.Op == gojq.OpPipe {
		last, before = last.Right, last.Left
	}
	if last.Term == nil {
		return rewriteOperator(last, endsInElements(before))
	}
	switch t := last.Term; {
	case len(t.SuffixList) > 0:
		return false
	case t.Type == gojq.TermTypeIf:
		return rewriteBranches(t.If)
	case len(last.FuncDefs) > 0:
		return false
	case t.Type == gojq.TermTypeArray && t.Array.Query != nil:
		*last = *t.Array.Query
	case isCall(t, "del"), isCall(t, "path"):
		*last = *t.Func.Args[0]
	case last != q && t.Func != nil && slices.Contains(tests, t.Func.Name):
		*last = *call("select", &gojq.Query{Term: t})
	case isCall(t, "map"):
		all := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIdentity, SuffixList: []*gojq.Suffix{{Iter: true}}}}
		*last = *pipe(all, t.Func.Args[0])
	default:
		return false
	}
	return (&forms{}).of(q) == pathForm
}

// isCall tells whether t calls the function name with one argument.
func isCall(t *gojq.Term, name string) bool {
	return t.Func != nil && t.Func.Name == name && len(t.Func.Args) == 1
}

// tests are the functions of jq that yield whether something holds for their input.
var tests = []string{"test", "startswith", "endswith", "contains", "inside", "has", "IN", "any", "all"}

// endsInElements tells whether a query yields the elements of a list or map; false for nil.
func endsInElements(q *gojq.Query) bool {
	if q == nil || q.Term == nil || len(q.Term.SuffixList) == 0 {
		return false
	}
	last := len(q.Term.SuffixList) - 1
	if q.Term.SuffixList[last].Optional && last > 0 {
		last--
	}
	return q.Term.SuffixList[last].Iter
}

// asSelect makes a select of a comparison: `select(.a == 1)` of `select(.a) == 1`, and of `.a == 1`
// after elements; otherwise `.a | select(. == 1)`.
func asSelect(q *gojq.Query, afterElements bool) *gojq.Query {
	switch left := q.Left; {
	case left.Term != nil && isCall(left.Term, "select") && len(left.Term.SuffixList) == 0:
		return call("select", &gojq.Query{Left: left.Term.Func.Args[0], Op: q.Op, Right: q.Right})
	case afterElements:
		return call("select", &gojq.Query{Left: left, Op: q.Op, Right: q.Right})
	}
	condition := &gojq.Query{Left: identity(), Op: q.Op, Right: q.Right}
	return &gojq.Query{FuncDefs: q.FuncDefs, Left: q.Left, Op: gojq.OpPipe, Right: call("select", condition)}
}

// rewriteOperator makes `.a` of `.a = 1`, `.a // empty` of `.a // "x"`, and a select of `.a == 1`.
func rewriteOperator(q *gojq.Query, afterElements bool) bool {
	switch q.Op {
	case gojq.OpAssign, gojq.OpModify, gojq.OpUpdateAdd, gojq.OpUpdateSub, gojq.OpUpdateMul, gojq.OpUpdateDiv,
		gojq.OpUpdateMod, gojq.OpUpdateAlt:
		left := *q.Left
		left.FuncDefs = append(q.FuncDefs, left.FuncDefs...)
		*q = left
	case gojq.OpAlt:
		if !isScalarLiteral(q.Right) {
			return false
		}
		*q.Right = *call("empty")
	case gojq.OpEq, gojq.OpNe, gojq.OpLt, gojq.OpLe, gojq.OpGt, gojq.OpGe:
		if !isScalarLiteral(q.Right) {
			return false
		}
		*q = *asSelect(q, afterElements)
	default:
		return false
	}
	return (&forms{}).of(q) == pathForm
}

// rewriteBranches puts empty in place of the literals that branches yield.
func rewriteBranches(i *gojq.If) bool {
	branches := []*gojq.Query{i.Then, i.Else}
	for _, elif := range i.Elif {
		branches = append(branches, elif.Then)
	}
	changed := false
	for _, branch := range branches {
		if branch != nil && isScalarLiteral(branch) {
			*branch = *call("empty")
			changed = true
		}
	}
	return changed
}
