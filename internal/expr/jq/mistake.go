package jq

import (
	"fmt"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// Mistake is an expression that is valid and certainly not intended.
type Mistake struct {
	Reason string // what the expression does, after its text
	Fix    string // the intended expression
}

// mistakes are what an expression that has all of the words may have, and how it is rewritten; it
// is not changed where it has no such mistake.
var mistakes = []struct {
	words    []string
	reason   string
	rewrites func(query *gojq.Query) (isChanged bool)
}{
	{[]string{"select", "="}, "assigns a value inside select, so select keeps everything; to compare, write", inConditions(compareAssigned)},
	{[]string{"select", "or"}, "has a string beside or, which counts as true, so select keeps everything; to compare, write",
		inConditions(compareAlternative)},
	{[]string{"del"}, "is a projection, which names what del keeps; to name what it deletes, write", nameDeleted},
	{[]string{"if"}, "has an if without else, which finds the whole value if the condition is false; to find nothing then, write", addElse},
}

// MistakeIn returns the first mistake that is found in an expression; false if there is none.
func MistakeIn(expression string) (Mistake, bool) {
	for _, m := range mistakes {
		if slices.ContainsFunc(m.words, func(word string) bool { return !strings.Contains(expression, word) }) {
			continue
		}
		if query, err := gojq.Parse(expression); err == nil && m.rewrites(query) {
			return Mistake{Reason: m.reason, Fix: query.String()}, true
		}
	}
	return Mistake{}, false
}

// assignments are the operators that change a value.
var assignments = map[gojq.Operator]bool{
	gojq.OpAssign: true, gojq.OpModify: true, gojq.OpUpdateAdd: true, gojq.OpUpdateSub: true,
	gojq.OpUpdateMul: true, gojq.OpUpdateDiv: true, gojq.OpUpdateMod: true, gojq.OpUpdateAlt: true,
}

// comparisons are the operators that compare values.
var comparisons = map[gojq.Operator]bool{
	gojq.OpEq: true, gojq.OpNe: true, gojq.OpLt: true, gojq.OpLe: true, gojq.OpGt: true, gojq.OpGe: true,
}

// inConditions rewrites each part of the conditions of select.
func inConditions(rewrite func(q *gojq.Query) bool) func(query *gojq.Query) bool {
	return func(query *gojq.Query) bool {
		isChanged := false
		for t := range all[*gojq.Term](query) {
			if !isCall(t, "select") {
				continue
			}
			for q := range all[*gojq.Query](t.Func.Args[0]) {
				isChanged = rewrite(q) || isChanged
			}
		}
		return isChanged
	}
}

// compareAssigned makes a comparison of an assignment, which keeps everything: an object is true.
func compareAssigned(q *gojq.Query) bool {
	if !assignments[q.Op] {
		return false
	}
	q.Op = gojq.OpEq
	return true
}

// compareAlternative makes `.a == "x" or .a == "y"` of `.a == "x" or "y"`.
func compareAlternative(q *gojq.Query) bool {
	if q.Op != gojq.OpOr || !isBare(q.Right, gojq.TermTypeString) || !isScalarLiteral(q.Right) {
		return false
	}
	compared := q.Left
	if compared.Op == gojq.OpOr {
		compared = compared.Right
	}
	if compared.Op != gojq.OpEq {
		return false
	}
	q.Right = &gojq.Query{Left: compared.Left, Op: gojq.OpEq, Right: q.Right}
	return true
}

// addElse adds `else empty` to each if without else that is a stage of the pipe or of a list of
// pipes, and tells whether there is one.
func addElse(q *gojq.Query) bool {
	if q.Op == gojq.OpPipe || q.Op == gojq.OpComma {
		left, right := addElse(q.Left), addElse(q.Right)
		return left || right
	}
	if q.Term == nil || q.Term.If == nil || q.Term.If.Else != nil {
		return false
	}
	q.Term.If.Else = call("empty")
	return true
}

// nameDeleted makes `.a | .b, .c` of `.a | del(.b) | del(.c)`, and tells whether it has.
func nameDeleted(q *gojq.Query) bool {
	stages := appendStages(nil, q)
	var deleted *gojq.Query
	for ; len(stages) > 0; stages = stages[:len(stages)-1] {
		argument := arguments(stages[len(stages)-1], "del", 1)
		if argument == nil {
			break
		}
		if deleted == nil {
			deleted = argument[0]
			continue
		}
		deleted = &gojq.Query{Left: &gojq.Query{Term: parenthesized(argument[0])}, Op: gojq.OpComma, Right: &gojq.Query{Term: parenthesized(deleted)}}
	}
	if deleted == nil {
		return false
	}
	for _, stage := range slices.Backward(stages) {
		deleted = followedBy(stage, deleted)
	}
	if (&forms{}).of(deleted) != pathForm {
		return false
	}
	*q = *deleted
	return true
}

// followedBy writes `.a | .b` as `.a.b`.
func followedBy(left, right *gojq.Query) *gojq.Query {
	isField := func(q *gojq.Query) bool {
		return q.Term != nil && len(q.FuncDefs) == 0 && q.Term.Type == gojq.TermTypeIndex
	}
	if !isField(left) || !isField(right) {
		return pipe(left, right)
	}
	t := *left.Term
	t.SuffixList = slices.Concat(t.SuffixList, []*gojq.Suffix{{Index: right.Term.Index}}, right.Term.SuffixList)
	return &gojq.Query{Term: &t}
}

// hintNull adds to the failure of `[]` on null how it is left out. The expression is rewritten
// where it is clear which `[]` is meant.
func hintNull(expression, cause string) string {
	query, err := gojq.Parse(expression)
	if err != nil {
		return cause
	}
	var strict *gojq.Term
	at, count := 0, 0
	for t := range all[*gojq.Term](query) {
		for i, suffix := range t.SuffixList {
			if suffix.Iter && !isOptional(t.SuffixList, i+1) {
				strict, at = t, i+1
				count++
			}
		}
	}
	cause += "; []? skips what is missing"
	if count != 1 {
		return cause
	}
	strict.SuffixList = slices.Insert(strict.SuffixList, at, &gojq.Suffix{Optional: true})
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
	query, err := gojq.Parse(expression)
	if err != nil {
		return cause
	}
	if hint := documentHint(query); hint != "" {
		return cause + hint
	}
	if !rewriteKeys(query) && !nameDeleted(query) && !rewriteAsPath(query) {
		return cause
	}
	return cause + fmt.Sprintf("; write '%s'", query)
}

// rewriteKeys makes `with_entries(select(.key | f))` of `keys[] | select(f)` at the end of q, and
// `with_entries(select(f))` of `to_entries[] | select(f)`, and tells whether it has.
func rewriteKeys(q *gojq.Query) bool {
	for ; q.Op == gojq.OpPipe; q = q.Right {
		t, last := q.Left.Term, q.Right.Term
		if t == nil || t.Func == nil || !endsInElements(q.Left) || last == nil || !isCall(last, "select") {
			continue
		}
		condition := last.Func.Args[0]
		switch {
		case strings.HasPrefix(t.Func.Name, "keys"):
			condition = pipe(&gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIndex, Index: &gojq.Index{Name: "key"}}}, condition)
		case t.Func.Name != "to_entries":
			continue
		}
		*q = *call("with_entries", call("select", condition))
		return true
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
	case isCall(t, "path"):
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

// rewriteOperator makes `.a` of `.a = 1`, `.a // empty` of `.a // "x"`, and a select of `.a == 1`:
// `select(.a == 1)` after elements and of `select(.a) == 1`, otherwise `.a | select(. == 1)`.
func rewriteOperator(q *gojq.Query, afterElements bool) bool {
	switch {
	case assignments[q.Op]:
		left := *q.Left
		left.FuncDefs = append(q.FuncDefs, left.FuncDefs...)
		*q = left
	case q.Op != gojq.OpAlt && !comparisons[q.Op] || !isScalarLiteral(q.Right):
		return false
	case q.Op == gojq.OpAlt:
		*q.Right = *call("empty")
	case len(arguments(q.Left, "select", 1)) > 0:
		*q = *call("select", &gojq.Query{Left: arguments(q.Left, "select", 1)[0], Op: q.Op, Right: q.Right})
	case afterElements:
		*q = *call("select", &gojq.Query{Left: q.Left, Op: q.Op, Right: q.Right})
	default:
		condition := call("select", &gojq.Query{Left: identity(), Op: q.Op, Right: q.Right})
		*q = gojq.Query{FuncDefs: q.FuncDefs, Left: q.Left, Op: gojq.OpPipe, Right: condition}
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

// documentHint says what to write instead of an expression that goes on into the document in a
// string, where no field can be named; "" for any other expression.
func documentHint(query *gojq.Query) string {
	before := beforeDecoding(query)
	if before == nil || (&forms{}).of(before) != pathForm {
		return ""
	}
	return fmt.Sprintf("; jq can select only the whole string, not a field of the document in it: write '%s', "+
		"or name the string under within and the field inside its document", before)
}

// RestHint says what to write instead of an expression that goes on into the document in a string,
// or that selects the names of keys and not the fields; else "".
func (p *Path) RestHint() string {
	query, err := gojq.Parse(p.expression)
	if err != nil {
		return ""
	}
	if hint := documentHint(query); hint != "" || !rewriteKeys(query) {
		return hint
	}
	return fmt.Sprintf("; write '%s'", query)
}

// decodes tells whether the query makes data of a text, at any depth.
func decodes(query *gojq.Query) bool {
	for t := range all[*gojq.Term](query) {
		if isDecoding(t) {
			return true
		}
	}
	return false
}

func isDecoding(t *gojq.Term) bool {
	return t.Func != nil && t.Func.Name == "fromjson" || t.Type == gojq.TermTypeFormat && t.Format == "@base64d"
}

// beforeDecoding returns the stages of a pipe before the first one that makes data of a text, nil
// where that can't be told.
func beforeDecoding(query *gojq.Query) *gojq.Query {
	if query.Term != nil && query.Term.Type == gojq.TermTypeQuery {
		return beforeDecoding(query.Term.Query)
	}
	if query.Op == gojq.OpModify && decodes(query.Right) {
		return query.Left
	}
	if query.Op != gojq.OpPipe {
		return nil
	}
	if inner := beforeDecoding(query.Left); inner != nil {
		return inner
	}
	first := query.Right
	for first.Op == gojq.OpPipe {
		first = first.Left
	}
	switch {
	case first.Term != nil && isDecoding(first.Term):
		return query.Left
	case query.Right.Op == gojq.OpPipe && !decodes(first):
		rest := beforeDecoding(query.Right)
		if rest == nil {
			return nil
		}
		return &gojq.Query{Left: query.Left, Op: gojq.OpPipe, Right: rest}
	}
	return nil
}
