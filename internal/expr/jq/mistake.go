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
	Fix    string // what to write instead
}

// mistakes are what an expression that has all of the words may have.
var mistakes = []struct {
	words []string
	Mistake
	isIn func(query *gojq.Query) bool
}{
	{[]string{"select", "="}, Mistake{"assigns a value inside select, so select keeps everything", "to compare, write =="},
		inConditions(func(q *gojq.Query) bool { return assignments[q.Op] })},
	{[]string{"select", "or"}, Mistake{"has a string beside or, which counts as true, so select keeps everything", "write a comparison on each side of or"},
		inConditions(func(q *gojq.Query) bool { return q.Op == gojq.OpOr && isBare(q.Right, gojq.TermTypeString) })},
	{[]string{"del"}, Mistake{"is a projection, which names what del keeps", "write the path that is inside del"}, endsInDel},
	{[]string{"if"}, Mistake{"has an if without else, which finds the whole value if the condition is false", "to find nothing then, write else empty"},
		lacksElse},
}

// MistakeIn returns the first mistake that is found in an expression; false if there is none.
func MistakeIn(expression string) (Mistake, bool) {
	for _, m := range mistakes {
		if slices.ContainsFunc(m.words, func(word string) bool { return !strings.Contains(expression, word) }) {
			continue
		}
		if query, err := gojq.Parse(expression); err == nil && m.isIn(query) {
			return m.Mistake, true
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

// inConditions tells whether a part of a condition of select is such a query.
func inConditions(is func(q *gojq.Query) bool) func(query *gojq.Query) bool {
	return func(query *gojq.Query) bool {
		for t := range all[*gojq.Term](query) {
			if !isCall(t, "select") {
				continue
			}
			for q := range all[*gojq.Query](t.Func.Args[0]) {
				if is(q) {
					return true
				}
			}
		}
		return false
	}
}

func endsInDel(q *gojq.Query) bool {
	stages := appendStages(nil, q)
	return arguments(stages[len(stages)-1], "del", 1) != nil
}

// lacksElse tells whether a stage of the pipe, or of a list of pipes, is an if without else.
func lacksElse(q *gojq.Query) bool {
	if q.Op == gojq.OpPipe || q.Op == gojq.OpComma {
		return lacksElse(q.Left) || lacksElse(q.Right)
	}
	return q.Term != nil && q.Term.If != nil && q.Term.If.Else == nil
}

// pathNeeded begins the fault of an expression that is neither a path expression nor a projection.
const pathNeeded = "a path expression must select fields of the object, such as .spec.replicas or " +
	`.spec.containers[] | select(.name == "app"), or keep some members of a map or list; this one yields `

// hintValue makes the cause of an expression that yields a value, of the type found, where places
// are needed. What it quotes is of the expression.
func hintValue(expression, found string) (cause, quotes string) {
	cause = pathNeeded
	switch found {
	case "object", "array":
		cause += "an " + found + " with members that are not in its input"
	case "null":
		cause += "null; to select nothing, use empty"
	case "boolean":
		cause += `a boolean; to choose objects, use selectors, or select(…) | .spec.replicas`
	default:
		cause += "a " + found
	}
	hint, quotes := pipeHint(expression)
	return cause + hint, quotes
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

// isCall tells whether t calls the function name with one argument.
func isCall(t *gojq.Term, name string) bool {
	return t.Func != nil && t.Func.Name == name && len(t.Func.Args) == 1
}

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

// RestHint says what to write instead of an expression that goes on into the document in a string,
// or that selects the names of keys and not the fields; else "". What it quotes is of the
// expression.
func (p *Path) RestHint() (hint, quotes string) { return pipeHint(p.expression) }

func pipeHint(expression string) (hint, quotes string) {
	query, err := gojq.Parse(expression)
	switch {
	case err != nil:
	case slices.ContainsFunc(appendStages(nil, query), decodes):
		return "; jq can select only the whole string, not a field of the document in it: name the string under within and the field inside its document", ""
	case rewriteKeys(query):
		return fmt.Sprintf("; write '%s'", query), query.String()
	}
	return "", ""
}

// decodes tells whether a stage of a pipe makes data of a text.
func decodes(q *gojq.Query) bool {
	return arguments(q, "fromjson", 0) != nil || isBare(q, gojq.TermTypeFormat) && q.Term.Format == "@base64d"
}
