package suggest

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// intoStrings puts, in the place of a string that differs, what differs in the document that stands in
// it, where that is one document on both sides. Where nothing in it differs, the string stays, but not
// in the proof: there, the cluster may have fields that were stripped.
func (p *pairOfObjects) intoStrings(isProof bool) {
	if p.ref.Kind == "Secret" {
		return // a rule would show keys that are a part of a value
	}
	var all []difference
	for _, d := range p.differences {
		inner, ok := p.inside(d)
		if !ok || len(inner) == 0 && !isProof {
			inner = []difference{d}
		}
		all = append(all, inner...)
	}
	p.differences = all
}

// inside returns what differs in the document that stands in a string; false where it is no such
// string.
func (p *pairOfObjects) inside(d difference) ([]difference, bool) {
	if d.within != nil || d.wildcard != "" || d.owner != "" || tree.Type(d.here) != tree.String || tree.Type(d.there) != tree.String {
		return nil, false
	}
	here, isDocument := documentIn(p.desired, d.place.here)
	there, isOther := documentIn(p.live, d.place.there)
	if !isDocument || !isOther || here.Kind != there.Kind {
		return nil, false
	}
	inner := &pairOfObjects{desired: here, live: there, ref: p.ref, file: p.file, mask: p.mask}
	c := comparer{pair: inner, isInside: true}
	c.values(here, there, place{})
	for i := range inner.differences {
		if len(inner.differences[i].place.here) == 0 {
			return nil, false
		}
		inner.differences[i].owners, inner.differences[i].within = d.owners, &d.place
	}
	return inner.differences, true
}

// documentIn returns the only document in the string at a location; false where there is none, or
// several.
func documentIn(root *yaml.Node, at location.Location) (*yaml.Node, bool) {
	s, err := embedded.Open(object.JSON(root), at, embedded.Auto)
	if err != nil || len(s.Documents) != 1 {
		return nil, false
	}
	return s.Documents[0].Root(), true
}
