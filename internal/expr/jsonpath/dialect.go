// Package jsonpath is the dialect of Kubernetes JSONPath, as `kubectl -o jsonpath` parses it.
package jsonpath

import (
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
)

var names = dialect.Names{Name: "jsonPath", Title: "JSONPath", Noun: "JSONPath", Failure: "JSONPath error"}

// Dialect is the entry of the table.
var Dialect = dialect.Dialect{
	Names:     names,
	Field:     "jsonPaths",
	Doc:       "Kubernetes JSONPath expressions.",
	Flag:      "jsonpath",
	Usage:     "`JSONPATH`, as in jsonPaths: .spec.replicas",
	Rank:      1,
	Parse:     func(text string, _ jq.Limits) (dialect.Expression, error) { return Parse(text) },
	Write:     Write,
	Translate: Translate,
	Segments:  segments,
}
