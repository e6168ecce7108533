package selector

import "slices"

// Index finds, among many selections, those that may have to do with an object, so that not each of
// them has to be asked about each object.
type Index struct {
	byName map[name][]int
}

// name is a kind and a name that an entry asks for; "" for any.
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

// names are the kinds and names of the objects for which an entry may hold. An entry that excludes may hold for any.
func (s *Selection) names() []name {
	if len(s.selectors) == 0 || len(s.exclude) > 0 {
		return []name{{}}
	}
	names := make([]name, len(s.selectors))
	for i, e := range s.selectors {
		if e.kind != "" { // a name alone is not looked for
			names[i] = name{e.kind, e.name}
		}
	}
	return names
}

// Of returns the numbers of the selections that may have to do with an object, in order. None of the others has an entry
// that holds for it, and none of them is without a selector.
func (x *Index) Of(o *Candidate) []int {
	any, ofKind, named := x.byName[name{}], x.byName[name{kind: o.Kind}], x.byName[name{o.Kind, o.Name}]
	switch {
	case o.Kind == "":
		return any
	case len(ofKind)+len(named) == 0 || o.Name == "" && len(ofKind) == 0:
		return any
	case len(any)+len(named) == 0:
		return ofKind
	}
	all := slices.Concat(any, ofKind, named)
	slices.Sort(all)
	return slices.Compact(all)
}
