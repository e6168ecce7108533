package merge

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// A finder finds values at paths, and indexes the elements of each list at the first path that
// leads into it. The objects must not change.
type finder struct {
	lists map[*any]map[string]int // by the first element
}

// find returns the value at a path of an object of a type, and where it is.
func (f *finder) find(t *schema.Type, path fieldpath.Path, object map[string]any) (any, location.Location, bool) {
	var current any = object
	var at location.Location
	there := object != nil
	for _, element := range path {
		if element.FieldName != nil {
			at = append(at, location.Key(*element.FieldName))
			m, _ := current.(map[string]any)
			current, there = m[*element.FieldName]
			t = t.Member(*element.FieldName)
			continue
		}
		list, _ := current.([]any)
		i := f.indexOf(list, element, t)
		at = append(at, location.Index(max(i, 0)))
		current, there = nil, i >= 0
		if there {
			current = list[i]
		}
		t = t.Element()
	}
	return current, at, there
}

// indexOf is the index of the first such element of a list, -1 where it is not in it.
func (f *finder) indexOf(list []any, element fieldpath.PathElement, t *schema.Type) int {
	if len(list) == 0 {
		return -1
	}
	if element.Index != nil {
		if *element.Index < len(list) {
			return *element.Index
		}
		return -1
	}
	indices := f.lists[&list[0]]
	if indices == nil {
		indices = Index(list, t)
		if f.lists == nil {
			f.lists = map[*any]map[string]int{}
		}
		f.lists[&list[0]] = indices
	}
	if i, ok := indices[element.String()]; ok {
		return i
	}
	return -1
}

// Name is what identifies an element of a list that is not atomic.
func Name(element any, list *schema.Type) string { return elementOf(list, 0, element).String() }

// Index returns the indices of the elements of such a list, of the first of each name.
func Index(list []any, t *schema.Type) map[string]int {
	all := make(map[string]int, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		all[Name(list[i], t)] = i
	}
	return all
}

// Order returns the names of the elements that two lists have, in the order of each, and whether
// the orders differ.
func Order(before, after []any, t *schema.Type) (was, now []string, isReordered bool) {
	common := func(list, other []any) []string {
		names := Index(other, t)
		var all []string
		for _, element := range list {
			name := Name(element, t)
			if _, ok := names[name]; ok {
				all = append(all, name)
			}
		}
		return all
	}
	was, now = common(before, after), common(after, before)
	return was, now, !slices.Equal(was, now)
}
