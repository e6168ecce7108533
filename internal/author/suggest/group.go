package suggest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// suggestion is a rule for fields of the objects of one kind.
type suggestion struct {
	selectors []selector.Selector
	// fields has the expressions by the name of their dialect.
	fields map[string][]namedField
	// numbers are the indices of the fields by their dialects and expressions, where they are asked
	// for.
	numbers map[string]int
	// within names the strings in whose documents the fields are.
	within expressionOf
	// objects names the objects, and the strings in them, to compare suggestions.
	objects string
}

// namedField is an expression, and the differences that it was found in.
type namedField struct {
	expression string
	found      []found
}

// found is one difference of one object.
type found struct {
	pair       *pairOfObjects
	difference difference
	// like is how many other fields of the object the same expression selects.
	like int
}

// group makes rules of the differences: fields that differ in the same objects of a kind become one
// rule. The rules have the order of the package.
func group(pairs []*pairOfObjects, desired []*object.Object) []*suggestion {
	packaged := byKind(desired)
	var rules []*suggestion
	var kinds []selector.GroupKind // in the order of their first pairs
	pairsOf := map[selector.GroupKind][]*pairOfObjects{}
	for _, p := range pairs {
		kind := selector.KindOf(p.ref)
		if pairsOf[kind] == nil {
			kinds = append(kinds, kind)
		}
		pairsOf[kind] = append(pairsOf[kind], p)
	}
	for _, kind := range kinds {
		g := newGrouping(kind, packaged[kind])
		for _, f := range fieldsOf(pairsOf[kind]) {
			g.add(f)
		}
		rules = append(rules, g.rules...)
	}
	return rules
}

// grouping makes rules of the fields of the objects of a kind.
type grouping struct {
	kind  selector.GroupKind
	count int // of the objects in the package
	// namespaces are those of the objects of the package, by their names.
	namespaces map[string]map[string]bool
	rules      []*suggestion
	byObjects  map[string]*suggestion
}

func newGrouping(kind selector.GroupKind, packaged []report.Ref) *grouping {
	g := &grouping{kind: kind, count: len(packaged), namespaces: map[string]map[string]bool{}, byObjects: map[string]*suggestion{}}
	for _, o := range packaged {
		if g.namespaces[o.Name] == nil {
			g.namespaces[o.Name] = map[string]bool{}
		}
		g.namespaces[o.Name][o.Namespace] = true
	}
	return g
}

func byKind(objects []*object.Object) map[selector.GroupKind][]report.Ref {
	refs := map[selector.GroupKind][]report.Ref{}
	for _, o := range objects {
		ref := o.Ref()
		refs[selector.KindOf(ref)] = append(refs[selector.KindOf(ref)], ref)
	}
	return refs
}

// dialectField is a field with its dialect.
type dialectField struct {
	dialect string
	within  expressionOf
	namedField
}

// expressionOf is an expression and its dialect.
type expressionOf struct{ dialect, text string }

// fieldsOf returns the expressions for the differences of the objects of a kind, each with all its
// objects.
func fieldsOf(pairs []*pairOfObjects) []dialectField {
	var fields []dialectField
	index := map[[2]expressionOf]int{} // by the expression, and that of the string
	for _, p := range pairs {
		for _, d := range p.differences {
			key := [2]expressionOf{d.expression()}
			if d.within != nil {
				key[1] = d.within.expression()
			}
			i, known := index[key]
			if !known {
				i = len(fields)
				index[key] = i
				fields = append(fields, dialectField{key[0].dialect, key[1], namedField{expression: key[0].text}})
			}
			if last := len(fields[i].found) - 1; last >= 0 && fields[i].found[last].pair == p {
				fields[i].found[last].like++
				continue
			}
			fields[i].found = append(fields[i].found, found{pair: p, difference: d})
		}
	}
	return fields
}

// add adds a field to the rule for the same objects.
func (g *grouping) add(f dialectField) {
	var names strings.Builder
	for _, found := range f.found {
		fmt.Fprintf(&names, " %p", found.pair)
	}
	fmt.Fprintf(&names, " %s", f.within)
	objects := names.String()
	rule := g.byObjects[objects]
	if rule == nil {
		rule = &suggestion{objects: objects, within: f.within, fields: map[string][]namedField{}, selectors: g.selectors(f.found)}
		g.byObjects[objects] = rule
		g.rules = append(g.rules, rule)
	}
	rule.fields[f.dialect] = append(rule.fields[f.dialect], f.namedField)
}

// selectors returns the selector for the kind if all its objects in the package differ, else one
// for each object that differs.
func (g *grouping) selectors(differ []found) []selector.Selector {
	whole := selector.Selector{Group: &g.kind.Group, Kind: &g.kind.Kind}
	if g.count == len(differ) {
		return []selector.Selector{whole}
	}
	var list []selector.Selector
	for _, f := range differ {
		s, ref := whole, f.pair.ref
		s.Name = &ref.Name
		if ref.Namespace != "" || len(g.namespaces[ref.Name]) > 1 {
			s.Namespace = &ref.Namespace
		}
		list = append(list, s)
	}
	return list
}

// comment says what differs in one object, and who has set it on the cluster or owns it.
func (f found) comment() string {
	text := strings.TrimPrefix(f.pair.ref.Namespace+"/"+f.pair.ref.Name, "/") + ": "
	if !f.pair.isLive {
		text += "owner: " + f.difference.owner
	} else {
		text += f.difference.comment(f.pair)
	}
	if f.like > 0 {
		text += fmt.Sprintf("; and %d more like it", f.like)
	}
	return strings.Join(strings.Fields(text), " ")
}

func (d difference) comment(pair *pairOfObjects) string {
	at := d.place.here
	if d.within != nil {
		at = d.within.here
	}
	text := d.values(pair, at)
	if len(d.owners) > 0 {
		text += "; " + ownerList(d.owners)
	}
	if d.owner != "" {
		text += "; owner: " + d.owner
	}
	if d.note != "" {
		text += "; " + d.note
	}
	switch isByIndex := d.wildcard == "" && d.place.isByPosition(); {
	case isByIndex && d.within != nil && pair.isSecret():
		text += "; by index, since a selection by value would show a value of the Secret"
	case isByIndex:
		text += "; by index, since no key identifies the elements of the list"
	}
	return text
}

// values says what both sides have: of a list or map that is too long to be shown, the first place
// where they differ.
func (d difference) values(pair *pairOfObjects, at location.Location) string {
	here := pair.show(at, d.here)
	if d.there == nil {
		return here + " here, not on the cluster"
	}
	there := pair.show(at, d.there)
	if tree.Equal(d.here, d.there) {
		return here + " here and on the cluster"
	}
	places := location.Differing(d.here, d.there)
	isCut := strings.HasSuffix(here, "…") || strings.HasSuffix(there, "…")
	if d.within == nil && isCut && len(places) > 0 && len(places[0]) > 0 {
		first := places[0]
		inner := slices.Concat(at, first)
		text := fmt.Sprintf("%s here, %s on the cluster at %s",
			pair.show(inner, location.At(d.here, first)), pair.show(inner, location.At(d.there, first)), inner)
		if more := len(places) - 1; more > 0 {
			text += fmt.Sprintf(", and %d more", more)
		}
		return text
	}
	text := here + " here, " + there + " on the cluster"
	if sameQuantity(d.here, d.there) {
		text += ", which is equal if it is a quantity"
	}
	return text
}
