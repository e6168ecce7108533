// Package locate finds fields by where they are, and the expressions that name them.
package locate

import (
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Located is a field and the expressions for it.
type Located struct {
	Object report.Ref
	Field  string
	File   string
	Line   int
	// Texts are the expressions by the name of the dialect.
	Texts map[string]string
	// Within are the expressions for the strings whose documents hold the field, the outermost
	// first.
	Within []map[string]string
	Notes  []string
}

// MarshalJSON writes the expressions as members by the name of their dialect.
func (l Located) MarshalJSON() ([]byte, error) {
	members := []any{"object", l.Object, "field", l.Field, "file", l.File}
	if l.Line > 0 {
		members = append(members, "line", l.Line)
	}
	for _, d := range expr.SimplestFirst() {
		if l.Texts[d.Name] != "" {
			members = append(members, d.Name, l.Texts[d.Name])
		}
	}
	if len(l.Within) > 0 {
		members = append(members, "within", l.Within)
	}
	if len(l.Notes) > 0 {
		members = append(members, "notes", l.Notes)
	}
	text := "{"
	for i := 0; i < len(members); i += 2 {
		value, err := tree.JSONText(members[i+1])
		if err != nil {
			return nil, err
		}
		text += fmt.Sprintf("%q:%s,", members[i], value)
	}
	return []byte(strings.TrimSuffix(text, ",") + "}"), nil
}

// Search looks for fields in one object after another.
type Search interface {
	in(o *object.Object) ([]location.Location, error)
	// inside returns the places in documents inside the string at a location, from the outside in;
	// none if the location itself is meant.
	inside(o *object.Object, l location.Location) [][]embedded.InnerLocation
	// nothing is the error if no object has any.
	nothing(objects []*object.Object) error
}

// FoundField is a field that was found.
type FoundField struct {
	Object   *object.Object
	Location location.Location
	// Inside are the places in documents inside the string at the location, from the outside in;
	// none if the location itself is meant.
	Inside []embedded.InnerLocation
}

// Find returns the fields that a search finds in objects. Where there is none, the error says what
// comes near.
func Find(search Search, objects []*object.Object) ([]FoundField, error) {
	var all []FoundField
	for _, o := range objects {
		locations, err := search.in(o)
		if err != nil {
			return nil, err
		}
		for _, l := range locations {
			inside := search.inside(o, l)
			if len(inside) == 0 {
				all = append(all, FoundField{Object: o, Location: l})
			}
			for _, places := range inside {
				all = append(all, FoundField{Object: o, Location: l, Inside: places})
			}
		}
	}
	if len(all) == 0 {
		return nil, search.nothing(objects)
	}
	return all, nil
}
