package expr

import (
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Spelling is the expressions that name one place, each verified by resolving it: in the object for
// which they were made, it finds the place and nothing else.
type Spelling struct {
	// Texts are the expressions by the name of the dialect; one that can't name the place has none.
	Texts map[string]string
	// ByIndex are the lists on the way whose element only its index identifies, in the expressions
	// that support other conditions.
	ByIndex []location.Location
	// ByPair are those whose element only two keys identify. The JSONPath has its index, since a
	// filter has one condition.
	ByPair []location.Location
}

// Spell returns the expressions for the place at a location of root. They name the elements of
// lists by their content, as far as their dialect can: by name, or by other fields with unique
// values. They contain no values for which hides is true.
func Spell(root *tree.Node, l location.Location, limits jq.Limits, hides func(location.Location, *tree.Node) bool) Spelling {
	named := hint.Name(root, l, hides)
	s := Spelling{Texts: map[string]string{}, ByIndex: named.ByIndex, ByPair: named.ByPair}
	for _, d := range Dialects {
		for _, path := range []hint.Path{named.Path, hint.Of(l)} {
			text := d.Write(path)
			expression, err := d.Parse(text, limits)
			if err != nil {
				continue
			}
			found, err := expression.Locate(&Input{Root: root})
			if err == nil && found.DottedKey == "" && len(found.Locations) == 1 && location.Compare(found.Locations[0], l) == 0 {
				s.Texts[d.Name] = text
				break
			}
		}
	}
	return s
}
