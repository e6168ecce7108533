package selector

import "slices"

// Index finds, among many selections, those that may select an object, so that the others need not
// be evaluated.
type Index struct {
	byName map[name][]int
}

// name is the kind and the name that an entry requires; "" for any.
type name struct {
	kind, name string
}

// NewIndex returns the index of selections.
func NewIndex(selections []*Selection) *Index {
	x := &Index{byName: map[name][]int{}}
	for i, s := range selections {
		for _, n := range s.names() {
			if all := x.byName[n]; len(all) == 0 || all[len(all)-1] != i {
				x.byName[n] = append(all, i)
			}
		}
	}
	return x
}

// names returns the kinds and names of the objects that an entry may match. An exclude entry may
// match any.
func (s *Selection) names() []name {
	if len(s.selectors) == 0 || len(s.exclude) > 0 {
		return []name{{}}
	}
	names := make([]name, len(s.selectors))
	for i, e := range s.selectors {
		if e.kind != "" { // there is no index by name alone
			names[i] = name{e.kind, e.name}
		}
	}
	return names
}

// Of returns the numbers of the selections that may select an object, in order. No other selection
// has an entry that matches it, or has no selector.
func (x *Index) Of(o *Candidate) []int {
	any, ofKind, named := x.byName[name{}], x.byName[name{kind: o.Kind}], x.byName[name{o.Kind, o.Name}]
	if len(ofKind)+len(named) == 0 {
		return any
	}
	all := slices.Concat(any, ofKind, named)
	slices.Sort(all)
	return slices.Compact(all)
}
