package suggest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/object"
)

// suggestion is a rule: fields of the objects of one kind.
type suggestion struct {
	selectors    []match.Selector
	pointers, jq []field
	// objects names the objects, for comparison.
	objects string
}

// field is an expression, and where it was found.
type field struct {
	expression string
	found      []found
}

// found is one difference of one object.
type found struct {
	pair       *pairOfObjects
	difference difference
}

// group makes rules of the differences: fields that differ in the same objects of
// a kind become one rule. Order is that of the package.
func group(pairs []*pairOfObjects, desired []*object.Object) []*suggestion {
	packaged := map[kindOfObjects][]*match.Object{}
	for _, o := range desired {
		m := match.Of(o.Root())
		kind := kindOfObjects{m.Group, m.Kind}
		packaged[kind] = append(packaged[kind], m)
	}
	var rules []*suggestion
	kinds, pairsOf := byKind(pairs)
	for _, kind := range kinds {
		var ofKind []*suggestion
		for _, f := range fieldsOf(pairsOf[kind]) {
			ofKind = addField(ofKind, kind, f, packaged[kind])
		}
		rules = append(rules, ofKind...)
	}
	return rules
}

// kindOfObjects is a group and a kind.
type kindOfObjects struct{ group, kind string }

func (p *pairOfObjects) kind() kindOfObjects {
	o := match.Of(p.desired)
	return kindOfObjects{o.Group, o.Kind}
}

// byKind returns the kinds in the order of their first pairs, and the pairs of each.
func byKind(pairs []*pairOfObjects) (kinds []kindOfObjects, pairsOf map[kindOfObjects][]*pairOfObjects) {
	pairsOf = map[kindOfObjects][]*pairOfObjects{}
	for _, p := range pairs {
		kind := p.kind()
		if pairsOf[kind] == nil {
			kinds = append(kinds, kind)
		}
		pairsOf[kind] = append(pairsOf[kind], p)
	}
	return kinds, pairsOf
}

// dialectField is a field with its dialect.
type dialectField struct {
	dialect string
	field
}

// fieldsOf returns the expressions for the differences of the objects of a kind, each
// with all the objects that it is for.
func fieldsOf(pairs []*pairOfObjects) []dialectField {
	var fields []dialectField
	index := map[[2]string]int{} // by dialect and text
	for _, p := range pairs {
		for _, d := range p.differences {
			dialect, text := d.place.expression()
			i, known := index[[2]string{dialect, text}]
			if !known {
				i = len(fields)
				index[[2]string{dialect, text}] = i
				fields = append(fields, dialectField{dialect, field{expression: text}})
			}
			fields[i].found = append(fields[i].found, found{p, d})
		}
	}
	return fields
}

// addField puts a field to the rule for the same objects.
func addField(rules []*suggestion, kind kindOfObjects, f dialectField, packaged []*match.Object) []*suggestion {
	var names strings.Builder
	for _, found := range f.found {
		fmt.Fprintf(&names, " %p", found.pair)
	}
	objects := names.String()
	i := slices.IndexFunc(rules, func(r *suggestion) bool { return r.objects == objects })
	if i < 0 {
		i = len(rules)
		rules = append(rules, &suggestion{objects: objects, selectors: selectors(kind, f.found, packaged)})
	}
	if f.dialect == locate.JQ {
		rules[i].jq = append(rules[i].jq, f.field)
	} else {
		rules[i].pointers = append(rules[i].pointers, f.field)
	}
	return rules
}

// selectors returns the selector for the kind, where all its objects in the
// package differ, else one for each object that does.
func selectors(kind kindOfObjects, differ []found, all []*match.Object) []match.Selector {
	whole := match.Selector{Group: &kind.group, Kind: &kind.kind}
	if len(all) == len(differ) {
		return []match.Selector{whole}
	}
	namespaces := map[string]map[string]bool{} // by name
	for _, o := range all {
		if namespaces[o.Name] == nil {
			namespaces[o.Name] = map[string]bool{}
		}
		namespaces[o.Name][o.Namespace] = true
	}
	var list []match.Selector
	for _, f := range differ {
		s, ref := whole, f.pair.ref
		s.Name = &ref.Name
		if ref.Namespace != "" || len(namespaces[ref.Name]) > 1 {
			s.Namespace = &ref.Namespace
		}
		list = append(list, s)
	}
	return list
}

// comment says what differs in one object, and who has set it on the cluster.
func (f found) comment() string {
	d := f.difference
	text := name(f.pair.ref) + ": " + f.pair.show(d.place.here, d.here) + " here, "
	if d.there == nil {
		text += "not on the cluster"
	} else {
		text += f.pair.show(d.place.here, d.there) + " on the cluster"
		if sameQuantity(d.here, d.there) {
			text += ", which is the same if it is a quantity"
		}
	}
	if len(d.owners) > 0 {
		text += "; " + ownerList(d.owners)
	}
	if d.place.isByPosition() {
		text += "; by position, as nothing tells the elements of the list apart"
	}
	return strings.Join(strings.Fields(text), " ")
}
