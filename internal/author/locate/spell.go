package locate

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Spell makes the expressions for a place.
func (p FoundField) Spell() Located {
	hides := redact.Of(p.Object.Root()).Hides
	if len(p.Inside) == 0 {
		found := spell(p.Object, hides, p.Location)
		if p.Refusal() != "" {
			found.Notes = append(found.Notes, p.Refusal())
		}
		return found
	}
	return spellInside(p.Object, hides, p.Location, p.Inside)
}

// Refusal says why no rule may name the place; "" if one may.
func (p FoundField) Refusal() string {
	if len(p.Inside) > 0 {
		return ""
	}
	return rules.Refusal(p.Location)
}

// hiding tells whether the scalar at a location must not be in an expression.
type hiding func(location.Location, *tree.Node) bool

// spell makes the expressions for a place of an object.
func spell(o *object.Object, hides hiding, l location.Location) Located {
	root := o.Root()
	expressions := expr.Spell(root, l, jq.Limits{}, hides)
	found := Located{
		Object: report.RefOf(root), Field: l.String(),
		File: o.File().Path, Line: o.LineOf(location.Begin(root, l)),
		Texts: expressions.Texts,
	}
	for _, list := range expressions.ByIndex {
		found.Notes = append(found.Notes, fmt.Sprintf("only its index identifies the element of %s", listName(list)))
	}
	for _, list := range expressions.ByPair {
		found.Notes = append(found.Notes, fmt.Sprintf(
			"two keys are needed to identify the element of %s, and a JSONPath filter can compare only one", listName(list)))
	}
	for _, d := range expr.Dialects {
		if d.SkipsNull && found.Texts[d.Name] == "" && tree.Type(location.At(root, l)) == tree.Null {
			found.Notes = append(found.Notes, "the field is null, which "+d.Title+" does not find")
		}
	}
	return found
}

// spellInside makes the expressions for a place in a document inside the string at a location, and
// those for the string.
func spellInside(o *object.Object, hides hiding, l location.Location, places []embedded.InnerLocation) Located {
	found := spell(o, hides, l)
	found.Field, found.Line = embedded.Text(l, places), new(embedded.Lines).Of(o, l, places)
	within, outer := found.Texts, o
	for i, p := range places {
		found.Within = append(found.Within, within)
		document := embedded.Documents(outer, l)[p.Document]
		inHidden := hides(l, location.At(outer.Root(), l))
		hides = func(l location.Location, n *tree.Node) bool {
			return inHidden || redact.Of(document.Object.Root()).Hides(l, n)
		}
		inner := spell(document.Object, hides, p.Location)
		if n := len(embedded.Documents(outer, l)); n > 1 && i == len(places)-1 {
			found.Notes = append(found.Notes, fmt.Sprintf("a rule with these expressions selects the field in all %d documents of the string", n))
		}
		found.Notes = append(found.Notes, inner.Notes...)
		within, outer, l = inner.Texts, document.Object, p.Location
	}
	found.Texts = within
	return found
}

// listName names a list in a note.
func listName(l location.Location) string {
	if len(l) == 0 {
		return "the document"
	}
	return l.String()
}
