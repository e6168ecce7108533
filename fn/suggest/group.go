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
	var rules []*suggestion
	for _, kind := range kindsOf(pairs) {
		for _, f := range fieldsOf(kind, pairs) {
			rules = addField(rules, kind, f, desired)
		}
	}
	return rules
}

// kindOfObjects is a group and a kind.
type kindOfObjects struct{ group, kind string }

func (p *pairOfObjects) kind() kindOfObjects {
	o := match.Of(p.desired)
	return kindOfObjects{o.Group, o.Kind}
}

func kindsOf(pairs []*pairOfObjects) []kindOfObjects {
	var kinds []kindOfObjects
	for _, p := range pairs {
		if !slices.Contains(kinds, p.kind()) {
			kinds = append(kinds, p.kind())
		}
	}
	return kinds
}

// dialectField is a field with its dialect.
type dialectField struct {
	dialect string
	field
}

// fieldsOf returns the expressions for the differences of a kind, each with all
// the objects that it is for.
func fieldsOf(kind kindOfObjects, pairs []*pairOfObjects) []dialectField {
	var fields []dialectField
	index := map[[2]string]int{} // by dialect and text
	for _, p := range pairs {
		if p.kind() != kind {
			continue
		}
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
func addField(rules []*suggestion, kind kindOfObjects, f dialectField, desired []*object.Object) []*suggestion {
	objects := fmt.Sprintf("%v", kind)
	for _, found := range f.found {
		objects += fmt.Sprintf(" %p", found.pair)
	}
	i := slices.IndexFunc(rules, func(r *suggestion) bool { return r.objects == objects })
	if i < 0 {
		i = len(rules)
		rules = append(rules, &suggestion{objects: objects, selectors: selectors(kind, f.found, desired)})
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
func selectors(kind kindOfObjects, differ []found, desired []*object.Object) []match.Selector {
	var all []*match.Object
	for _, o := range desired {
		if m := match.Of(o.Root()); m.Group == kind.group && m.Kind == kind.kind {
			all = append(all, m)
		}
	}
	whole := match.Selector{Group: &kind.group, Kind: &kind.kind}
	if len(all) == len(differ) {
		return []match.Selector{whole}
	}
	var list []match.Selector
	for _, f := range differ {
		s, ref := whole, f.pair.ref
		s.Name = &ref.Name
		sameName := slices.ContainsFunc(all, func(o *match.Object) bool { return o.Name == ref.Name && o.Namespace != ref.Namespace })
		if ref.Namespace != "" || sameName {
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
