package jq

import (
	"fmt"

	"github.com/itchyny/gojq"
)

// documentHint says what to write instead of an expression that goes on into the document in a
// string, where no field can be named; "" for any other expression.
func documentHint(expression string) string {
	query, err := gojq.Parse(expression)
	if err != nil {
		return ""
	}
	before := beforeDecoding(query)
	if before == nil || (&forms{}).of(before) != pathForm {
		return ""
	}
	return fmt.Sprintf("; jq can select only the whole string, not a field of the document in it: write '%s', "+
		"or name the string under within and the field inside its document", before)
}

// DocumentHint says what to write instead of an expression that goes on into the document in a
// string, or "".
func (p *Path) DocumentHint() string { return documentHint(p.code.expression) }

// decodes tells whether the query makes data of a text, at any depth.
func decodes(query *gojq.Query) bool {
	found := false
	v := visitor{term: func(t *gojq.Term, _ int) { found = found || isDecoding(t) }}
	v.walk(query, 0)
	return found
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
