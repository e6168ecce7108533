package suggest

import (
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// expression names the field of the difference, and similar ones.
func (d difference) expression() expressionOf {
	if d.wildcard != "" {
		return expressionOf{jsonpointer.Dialect.Name, d.wildcard}
	}
	if d.inDocument != "" {
		return expressionOf{jqpath.Dialect.Name, d.inDocument}
	}
	return d.place.expression()
}

// widenToAtomic replaces the differences inside an atomic list or map by the list or map, as a
// person would write the rule: whoever applies it owns all of it.
func (p *pairOfObjects) widenToAtomic() {
	kind := p.kind
	var outer []difference
	known := map[string]bool{}
	for _, d := range p.differences {
		inSchema := kind.At(d.place.here)
		atomic := inSchema.Atomic
		if atomic == nil || kind.At(atomic).Known == schema.Excluded {
			if kind.Origin != schema.Assumed {
				d.note = atomicNote(inSchema.Type, d.here)
			}
			outer = append(outer, d)
			continue
		}
		if at := atomic.Pointer(); !known[at] {
			known[at] = true
			n := len(atomic)
			d.place = pairedLocation{here: d.place.here[:n:n], there: d.place.there[:n:n], steps: d.place.steps[:n:n]}
			d.here = location.At(p.desired, d.place.here)
			d.there = location.At(p.live, d.place.there)
			d.owner = p.owners[at].Owner
			d.note = atomicNote(inSchema.AtomicType, d.here)
			if kind.Origin == schema.Assumed {
				d.note = "no schema of " + kind.Kind + " is known, so its lists count as atomic; if they are not, put its CustomResourceDefinition into DESIRED"
			}
			outer = append(outer, d)
		}
	}
	p.differences = outer
}

// atomicNote says of an atomic list or map why the rule names all of it.
func atomicNote(t *schema.Type, here *tree.Node) string {
	if !t.IsAtomic(here) {
		return ""
	}
	return "an atomic " + tree.Type(here) + ", which can be left to its owner only as a whole"
}

// combineElements names fields that differ only in list elements by one pointer, if that finds no
// others.
func (p *pairOfObjects) combineElements() {
	places := lists.Map(p.differences, func(d difference) location.Location { return d.place.here })
	for i, c := range jsonpointer.Combine(p.desired, places) {
		if c.Count > 1 || p.differences[i].place.isByPosition() {
			p.differences[i].wildcard = c.Pointer
		}
	}
}
