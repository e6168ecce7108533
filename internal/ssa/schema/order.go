package schema

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

//go:embed order.txt
var orderFile string

// unordered are the fields of order.txt by the names of their types.
var unordered = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	eachRule(orderFile, func(types []string, text string) {
		field, _, _ := strings.Cut(text, ":")
		for _, name := range types {
			all[name] = append(all[name], field)
		}
	})
	return all
})

// IsUnordered tells whether a field is a list whose order means nothing to the API.
func (t *Type) IsUnordered(field string) bool {
	return t != nil && t.Name != "" && slices.Contains(unordered()[t.Name], field)
}

// IsReordered tells whether values of the type differ, and that only in the order of lists whose
// order means nothing.
func (t *Type) IsReordered(before, after any) bool {
	return !reflect.DeepEqual(before, after) && reflect.DeepEqual(t.Align(before, after), after)
}

// Align returns a value with the elements of lists whose order means nothing in the order that they
// have in another value, as far as they are in both. Neither value is changed.
func (t *Type) Align(value, like any) any {
	switch v := value.(type) {
	case map[string]any:
		other, _ := like.(map[string]any)
		out := make(map[string]any, len(v))
		for key, member := range v {
			out[key] = t.Member(key).alignMember(member, other[key], t.IsUnordered(key))
		}
		return out
	case []any:
		other, _ := like.([]any)
		out := slices.Clone(v)
		for i := range min(len(v), len(other)) {
			out[i] = t.Element().Align(v[i], other[i])
		}
		return out
	}
	return value
}

// alignMember is Align for a field of a map.
func (t *Type) alignMember(value, like any, isUnordered bool) any {
	list, isList := value.([]any)
	other, wasList := like.([]any)
	if !isUnordered || !isList || !wasList {
		return t.Align(value, like)
	}
	return t.Element().alignElements(list, other)
}

// alignElements puts elements of the type in the order of others, and those that have no equal in
// the places that are left.
func (t *Type) alignElements(list, like []any) []any {
	rest := map[string][]int{} // the indices of the elements that are not in place, by their texts
	for i, element := range list {
		text := t.text(element)
		rest[text] = append(rest[text], i)
	}
	from, isTaken := make([]int, len(like)), make([]bool, len(list))
	for i, element := range like {
		from[i] = -1
		if text := t.text(element); len(rest[text]) > 0 {
			from[i], rest[text] = rest[text][0], rest[text][1:]
			isTaken[from[i]] = true
		}
	}
	var left []int
	for i := range list {
		if !isTaken[i] {
			left = append(left, i)
		}
	}
	var out []any
	for i, at := range from {
		if at < 0 && len(left) > 0 {
			at, left = left[0], left[1:]
		}
		if at >= 0 {
			out = append(out, t.Align(list[at], like[i]))
		}
	}
	for _, at := range left {
		out = append(out, list[at])
	}
	return out
}

// text is the same for all values of the type that differ only in the order.
func (t *Type) text(value any) string {
	text, _ := json.Marshal(t.sorted(value)) // data of objects can be written
	return string(text)
}

// sorted is a copy of a value with the lists whose order means nothing sorted.
func (t *Type) sorted(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, member := range v {
			inner := t.Member(key)
			out[key] = inner.sorted(member)
			if list, isList := out[key].([]any); isList && t.IsUnordered(key) {
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(inner.Element().text(a), inner.Element().text(b)) })
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = t.Element().sorted(v[i])
		}
		return out
	}
	return value
}
