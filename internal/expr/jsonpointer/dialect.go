// Package jsonpointer is the dialect of JSON Pointers (RFC 6901).
package jsonpointer

import (
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
)

var names = dialect.JSONPointer

// Dialect is the entry of the table.
var Dialect = dialect.Dialect{
	Names:     names,
	Field:     "jsonPointers",
	Doc:       "RFC 6901 JSON Pointers; the segment * selects every element of a list.",
	Pattern:   `^(/([^~/]|~[01])*)+$`,
	Flag:      "pointer",
	Usage:     "`JSON-POINTER`, as in jsonPointers: /spec/replicas",
	Rank:      0,
	Parse:     func(text string, _ jq.Limits) (dialect.Expression, error) { return Parse(text) },
	Write:     hint.Path.Pointer,
	Translate: Translate,
	Segments:  location.PointerSegments,
	MissFails: true,
	Several:   func(text string) string { return hint.Several(text, "/") },
}
