package jqpath

import (
	"errors"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// Translate writes a jq expression as a JSON Pointer that finds the same field. It has one where it
// is a path of names and indices that are written out: .spec.replicas, .data["a.b"],
// .spec.containers[0]?.image. Errors are *dialect.SyntaxError and *dialect.TranslateError.
func Translate(expression string) (into, translated string, err error) {
	if jq.IsProjection(expression) {
		return "", "", errProjection
	}
	query, err := gojq.Parse(expression)
	if err != nil {
		return "", "", &dialect.SyntaxError{Noun: names.Noun, Expression: expression, Reason: err.Error()}
	}
	var b strings.Builder
	if cause := pointerOfQuery(&b, query); cause != "" {
		return "", "", &dialect.TranslateError{Dialect: names, Into: dialect.JSONPointer.Noun, Expression: expression, Cause: cause}
	}
	if b.Len() == 0 {
		return "", "", &dialect.TranslateError{Dialect: names, Into: dialect.JSONPointer.Noun, Expression: expression, Cause: "it is the whole object"}
	}
	return dialect.JSONPointer.Name, b.String(), nil
}

// errProjection is a jq expression that no one else takes.
var errProjection = errors.New("computes a value and is not a path expression; only krm-fields accepts that")

const onlyPlain = "a JSON Pointer has only keys and indices"

// pointerOfQuery appends the segments of a query, or says why it has none.
func pointerOfQuery(b *strings.Builder, q *gojq.Query) (cause string) {
	switch {
	case q.Meta != nil || len(q.Imports) > 0 || len(q.FuncDefs) > 0 || len(q.Patterns) > 0:
		return onlyPlain
	case q.Term != nil:
		return pointerOfTerm(b, q.Term)
	case q.Op != gojq.OpPipe:
		return onlyPlain
	}
	if cause := pointerOfQuery(b, q.Left); cause != "" {
		return cause
	}
	return pointerOfQuery(b, q.Right)
}

func pointerOfTerm(b *strings.Builder, t *gojq.Term) (cause string) {
	switch t.Type {
	case gojq.TermTypeIdentity:
	case gojq.TermTypeIndex:
		cause = pointerOfIndex(b, t.Index)
	case gojq.TermTypeQuery:
		cause = pointerOfQuery(b, t.Query)
	default:
		return onlyPlain
	}
	for _, suffix := range t.SuffixList {
		switch {
		case cause != "":
			return cause
		case suffix.Optional:
		case suffix.Index != nil:
			cause = pointerOfIndex(b, suffix.Index)
		default:
			return onlyPlain
		}
	}
	return cause
}

func pointerOfIndex(b *strings.Builder, index *gojq.Index) (cause string) {
	segment := index.Name
	switch {
	case index.Name != "":
	case index.IsSlice:
		return "a JSON Pointer has no slices"
	case index.Str != nil && len(index.Str.Queries) == 0:
		segment = index.Str.Str
	case index.Start != nil && index.Start.Term != nil && len(index.Start.Term.SuffixList) == 0:
		term := index.Start.Term
		switch {
		case term.Type == gojq.TermTypeString && len(term.Str.Queries) == 0:
			segment = term.Str.Str
		case term.Type == gojq.TermTypeNumber:
			if _, ok := location.ListIndex(term.Number); !ok {
				return "the index " + term.Number + " must be a whole number"
			}
			b.WriteString("/" + term.Number)
			return ""
		default:
			return onlyPlain
		}
	default:
		return onlyPlain
	}
	if segment == "*" {
		return `the key "*" means every element of a list there`
	}
	b.WriteString("/" + location.EscapePointer(segment))
	return ""
}
