// Package jqpath is the dialect of jq path expressions and projections; package jq runs them.
package jqpath

import (
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
)

var names = dialect.JQ

// Dialect is the entry of the table.
var Dialect = dialect.Dialect{
	Names:     names,
	Field:     "jqPathExpressions",
	Doc:       "jq path expressions.",
	Flag:      "jq",
	Usage:     "jq `EXPRESSION`, as in jqPathExpressions: .spec.replicas",
	Rank:      2,
	Parse:     Parse,
	Write:     Write,
	Translate: Translate,
	Segments:  segments,
	SkipsNull: true,
	Parts:     jq.Parts,
	Mistake:   jq.MistakeIn,
}

// parse is Parse for an expression that is not evaluated under limits of its own.
func parse(text string) (dialect.Expression, error) { return Parse(text, jq.Limits{}) }
