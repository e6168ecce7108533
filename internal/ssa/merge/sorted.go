package merge

import "sigs.k8s.io/structured-merge-diff/v6/value"

// sortedValue is a map or list whose large maps give their members in the order of the keys: the
// library inserts each into a sorted list, and one that comes in any order moves half of that.
type sortedValue struct{ value.Value }

// sorted returns a value with its large maps sorted.
func sorted(v value.Value) value.Value {
	if v == nil || !v.IsMap() && !v.IsList() {
		return v
	}
	return sortedValue{v}
}

func (o sortedValue) AsMap() value.Map { return o.AsMapUsing(value.HeapAllocator) }

func (o sortedValue) AsMapUsing(a value.Allocator) value.Map { return sortedMap{o.Value.AsMapUsing(a)} }

func (o sortedValue) AsList() value.List { return o.AsListUsing(value.HeapAllocator) }

func (o sortedValue) AsListUsing(a value.Allocator) value.List {
	return sortedList{o.Value.AsListUsing(a)}
}

type sortedList struct{ value.List }

func (l sortedList) At(i int) value.Value { return sorted(l.List.At(i)) }

// manyMembers is from how many members on to sort them costs less than to move them.
const manyMembers = 64

type sortedMap struct{ value.Map }

func (m sortedMap) Iterate(each func(key string, v value.Value) bool) bool {
	return m.ZipUsing(value.HeapAllocator, nil, value.Unordered, func(key string, v, _ value.Value) bool { return each(key, v) })
}

func (m sortedMap) ZipUsing(
	a value.Allocator, other value.Map, _ value.MapTraverseOrder, each func(key string, own, others value.Value) bool,
) bool {
	if o, ok := other.(sortedMap); ok {
		other = o.Map
	}
	var order value.MapTraverseOrder = value.Unordered
	if m.Length() >= manyMembers || other != nil && other.Length() >= manyMembers {
		order = value.LexicalKeyOrder
	}
	return m.Map.ZipUsing(a, other, order, func(key string, own, others value.Value) bool {
		return each(key, sorted(own), sorted(others))
	})
}
