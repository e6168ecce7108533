package embedded

import (
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// Place is a place in a document in a string.
type Place struct {
	// Document is the index of the document in its string.
	Document int
	Location location.Location
}

// String returns the place as the suffix of its string's location: #/spring/url, or #[1]/spring in
// the second document.
func (p Place) String() string {
	number := ""
	if p.Document > 0 {
		number = "[" + strconv.Itoa(p.Document) + "]"
	}
	return "#" + number + p.Location.Pointer()
}

// Text returns a location, and the places in it from the outside in: data["a.yaml"]#/b#/c.
func Text(at location.Location, inner []Place) string {
	var b strings.Builder
	b.WriteString(at.String())
	for _, p := range inner {
		b.WriteString(p.String())
	}
	return b.String()
}
