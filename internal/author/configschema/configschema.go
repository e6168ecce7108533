// Package configschema writes the JSON Schemas (draft 2020-12,
// https://json-schema.org/draft/2020-12) of the functionConfigs from the Go types that they are
// decoded into, for editors and for checks before a run.
//
// A schema tells the shape. Whether an expression compiles, and whether the fields of one operation
// go together in every way, only a run tells. To JSON Schema 5.0 is a whole number, which a run
// refuses.
package configschema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/lists"
)

const (
	draft   = "https://json-schema.org/draft/2020-12/schema"
	baseURL = "https://raw.githubusercontent.com/krm-fields/krm-fields/main/schema/"
)

// Schema is a JSON Schema, with the keywords that the functionConfigs need.
type Schema struct {
	Draft       string `json:"$schema,omitempty"`
	ID          string `json:"$id,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Type is one name or several; none for any data.
	Type          []string           `json:"type,omitempty"`
	Const         any                `json:"const,omitempty"`
	Enum          []any              `json:"enum,omitempty"`
	Default       any                `json:"default,omitempty"`
	Pattern       string             `json:"pattern,omitempty"`
	Minimum       any                `json:"minimum,omitempty"`
	Maximum       any                `json:"maximum,omitempty"`
	Required      []string           `json:"required,omitempty"`
	MinItems      int                `json:"minItems,omitempty"`
	MinProperties int                `json:"minProperties,omitempty"`
	Items         *Schema            `json:"items,omitempty"`
	Properties    map[string]*Schema `json:"properties,omitempty"`
	// AdditionalProperties is a *Schema, or a bool.
	AdditionalProperties any       `json:"additionalProperties,omitempty"`
	Not                  *Schema   `json:"not,omitempty"`
	AnyOf                []*Schema `json:"anyOf,omitempty"`
	AllOf                []*Schema `json:"allOf,omitempty"`
	If                   *Schema   `json:"if,omitempty"`
	Then                 *Schema   `json:"then,omitempty"`
	Else                 *Schema   `json:"else,omitempty"`
}

// Kinds returns the kinds that have a schema, sorted.
func Kinds() []string {
	names := lists.Map(fn.Kinds(), func(kind fn.Kind) string { return kind.Name })
	slices.Sort(names)
	return names
}

// FileName is the name of the file in the folder schema/ that holds the schema of a kind.
func FileName(kind string) string { return strings.ToLower(kind) + ".json" }

// Of returns the schema of a kind, which must be one of Kinds.
func Of(kind string) *Schema {
	all := fn.Kinds()
	s := ofType(all[slices.IndexFunc(all, func(k fn.Kind) bool { return k.Name == kind })].Config)
	s.Draft, s.ID = draft, baseURL+FileName(kind)
	s.Title = "functionConfig of kind " + kind
	s.Properties["apiVersion"].Const = fn.APIVersion
	s.Properties["kind"].Const = kind
	return s
}

// Text returns the schema as indented JSON that ends with a line break.
func (s *Schema) Text() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(s)
	return text.Bytes(), err
}
