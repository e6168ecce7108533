package embedded

import (
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// InnerLocation is a place in a document in a string.
type InnerLocation struct {
	// Document is the index of the document in its string.
	Document int
	Location location.Location
}

// String returns the place as the suffix of its string's location: #/spring/url, or #[1]/spring in
// the second document.
func (p InnerLocation) String() string {
	number := ""
	if p.Document > 0 {
		number = "[" + strconv.Itoa(p.Document) + "]"
	}
	return "#" + number + p.Location.Pointer()
}

// Text returns a location, and the places in it from the outside in: data["a.yaml"]#/b#/c.
func Text(at location.Location, inner []InnerLocation) string { return inside(at.String(), inner) }

// Pointer is Text, with the location as a JSON Pointer: /data/a.yaml#/b#/c.
func Pointer(at location.Location, inner []InnerLocation) string { return inside(at.Pointer(), inner) }

func inside(outer string, inner []InnerLocation) string {
	var b strings.Builder
	b.WriteString(outer)
	for _, p := range inner {
		b.WriteString(p.String())
	}
	return b.String()
}

// Scope is what expressions are about: an object, or a document in one of its strings.
type Scope struct {
	*object.Object
	IsInside bool
	// outer is where the outermost string is in the object, inside the places of the strings in it,
	// and number that of the document in the innermost.
	outer  location.Location
	inside []InnerLocation
	number int
}

// Enter returns the scope of a document of the string at a location of the scope.
func (s Scope) Enter(l location.Location, d *Document, number int) Scope {
	outer, inside := s.Place(l)
	return Scope{Object: d.Object, IsInside: true, outer: outer, inside: inside, number: number}
}

// Place returns where a location of the scope is in the object, and from there in its documents.
func (s Scope) Place(l location.Location) (outer location.Location, inside []InnerLocation) {
	if !s.IsInside {
		return l, nil
	}
	return s.outer, append(slices.Clip(s.inside), InnerLocation{Document: s.number, Location: l})
}

// Hidden returns places in a Secret with *** for the keys that an expression does not have: those
// of a document are a part of a value.
func Hidden(inner []InnerLocation, expression string) []InnerLocation {
	hidden := slices.Clone(inner)
	for i, p := range hidden {
		hidden[i].Location = slices.Clone(p.Location)
		for k, step := range p.Location {
			if !step.IsIndex && !strings.Contains(expression, step.Key) {
				hidden[i].Location[k] = location.Key(redact.Masked)
			}
		}
	}
	return hidden
}
