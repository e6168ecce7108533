package diff

import (
	"maps"
	"reflect"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// differ finds what an apply changes: before are the edits that turn the package's object into the
// live one, reduced to what the package sets, and after those that add what else the apply sets.
type differ struct {
	kind          *schema.Kind
	before, after edits
	// isReordered tells of a list that changes its order, where that means nothing to the API.
	isReordered bool
}

// edits are the edits of a text.
type edits struct {
	set     []edit
	removed []location.Location
}

// edit sets a value, or puts the elements of a list in another order.
type edit struct {
	at    location.Location
	value any
	order []int
}

func (e *edits) isEmpty() bool { return len(e.set) == 0 && len(e.removed) == 0 }

// hide removes places from both sides, except those in lists whose elements change their order:
// they are alike on both sides.
func (d *differ) hide(places []location.Location) {
	isReordered := slices.ContainsFunc(d.before.set, func(e edit) bool { return e.order != nil })
	for _, l := range places {
		if !isReordered || !slices.ContainsFunc(l, func(step location.Step) bool { return step.IsIndex }) {
			d.before.removed, d.after.removed = append(d.before.removed, l), append(d.after.removed, l)
		}
	}
}

func (e *edits) put(at location.Location, value any) {
	e.set = append(e.set, edit{at: at, value: value})
}

// text returns a text with the edits.
func (e edits) text(text []byte) ([]byte, error) {
	if e.isEmpty() {
		return text, nil
	}
	o, err := object.ParseDocument(text)
	if err != nil {
		return nil, err
	}
	for len(e.set) > 0 {
		at, value, count := e.next(o.Root())
		if err := o.Replace(at, value); err != nil {
			return nil, err
		}
		e.set = e.set[count:]
	}
	if len(e.removed) > 0 {
		o.Remove(e.removed)
	}
	return o.Text()
}

// next returns what the next edits set where, and how many they are: those of several members of
// one map set the map.
func (e edits) next(root *tree.Node) (location.Location, *tree.Node, int) {
	first := e.set[0]
	parent := first.at[:max(len(first.at)-1, 0)]
	isOther := func(edit edit) bool {
		return len(edit.at) != len(parent)+1 || edit.order != nil || edit.at[len(parent)].IsIndex || location.Compare(edit.at[:len(parent)], parent) != 0
	}
	count := slices.IndexFunc(e.set, isOther)
	if count < 0 {
		count = len(e.set)
	}
	old := location.At(root, parent)
	switch {
	case first.order != nil:
		old = location.At(root, first.at)
		value := old.Bare()
		for _, i := range first.order {
			value.Content = append(value.Content, old.Content[i])
		}
		return first.at, value, 1
	case count < 2 || !tree.IsMap(old):
		return first.at, tree.FromValue(first.value), 1
	}
	value, keys := old.Bare(), tree.KeyTable{}
	value.Content = slices.Clone(old.Content)
	for _, edit := range e.set[:count] {
		key, member := edit.at[len(parent)].Key, tree.FromValue(edit.value)
		if i := keys.Index(value.Content, key); i >= 0 {
			value.Content[i+1] = member
		} else {
			value.Content = append(value.Content, tree.NewString(key), member)
		}
	}
	return parent, value, count
}

// values compares a value before and after the apply, which is here in the package.
func (d *differ) values(here, before, after any, t *schema.Type, at location.Location) {
	if reflect.DeepEqual(before, after) {
		return
	}
	switch h := here.(type) {
	case map[string]any:
		b, isMap := before.(map[string]any)
		a, wasMap := after.(map[string]any)
		if isMap && wasMap {
			d.maps(h, b, a, t, at)
			return
		}
	case []any:
		b, isList := before.([]any)
		a, wasList := after.([]any)
		if isList && wasList && d.lists(h, b, a, t, at) {
			return
		}
	}
	d.before.put(at, d.withoutDefaults(here, before, t))
}

// withoutDefaults returns a value of the cluster without the members that the API server gives it,
// unless the package, which has here in its place, has them.
func (d *differ) withoutDefaults(here, value any, t *schema.Type) any {
	switch v := value.(type) {
	case map[string]any:
		rest, ours := map[string]any{}, asMap(here)
		for key, member := range v {
			_, isOurs := ours[key]
			inner := d.withoutDefaults(ours[key], member, t.Member(key))
			field := t.Field(key)
			if isOurs || field == nil || !d.isDefault(inner, t, field) {
				rest[key] = inner
			}
		}
		return rest
	case []any:
		rest, ours := make([]any, len(v)), asList(here)
		for i, element := range v {
			var our any
			if i < len(ours) {
				our = ours[i]
			}
			rest[i] = d.withoutDefaults(our, element, t.Element())
		}
		return rest
	}
	return value
}

// isDefault tells whether a value without defaults is that of a field of a map with the type t.
func (d *differ) isDefault(value any, t *schema.Type, field *schema.Field) bool {
	byDefault := field.DefaultIn(t, d.kind.Origin == schema.Kubernetes)
	return byDefault != nil && reflect.DeepEqual(value, d.withoutDefaults(nil, schema.Numbers(byDefault), field.Type))
}

func asMap(value any) map[string]any {
	m, _ := value.(map[string]any)
	return m
}

func asList(value any) []any {
	list, _ := value.([]any)
	return list
}

func (d *differ) maps(here, before, after map[string]any, t *schema.Type, at location.Location) {
	keys := map[string]bool{}
	for _, m := range []map[string]any{here, before, after} {
		for key := range m {
			keys[key] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if inner := at.With(location.Key(key)); !world.IsLeftOut(inner) {
			d.member(here, before, after, key, t.Member(key), inner)
		}
	}
}

func (d *differ) member(here, before, after map[string]any, key string, t *schema.Type, at location.Location) {
	h, isHere := here[key]
	b, wasThere := before[key]
	a, isThere := after[key]
	if wasThere == isThere && reflect.DeepEqual(b, a) {
		return
	}
	if location.Compare(at, world.Annotations) == 0 { // some of which are not compared
		b, wasThere = comparedAnnotations(b, isHere)
		a, isThere = comparedAnnotations(a, isHere)
	}
	switch {
	case isHere && wasThere:
		d.values(h, b, a, t, at)
	case isHere:
		d.before.removed = append(d.before.removed, at)
	case reflect.DeepEqual(b, a):
	default: // a change of what the package does not have
		if wasThere {
			d.before.put(at, b)
		}
		if isThere {
			d.after.put(at, a)
		}
	}
}

// comparedAnnotations returns those that are compared, and whether there are any, or must be.
func comparedAnnotations(annotations any, isHere bool) (any, bool) {
	all, _ := annotations.(map[string]any)
	kept := maps.Clone(all)
	maps.DeleteFunc(kept, func(key string, _ any) bool { return world.IsServerAnnotation(key) })
	if kept == nil {
		kept = map[string]any{}
	}
	return kept, isHere || len(kept) > 0
}

// lists compares lists: by the keys or values of their elements, else by their order if they are of
// one length. It returns false where they differ as a whole.
func (d *differ) lists(here, before, after []any, t *schema.Type, at location.Location) bool {
	if t == nil || t.List == nil || t.List.Kind == schema.Atomic {
		if len(here) != len(before) || len(here) != len(after) {
			return false
		}
		for i := range here {
			d.values(here[i], before[i], after[i], t.Element(), at.With(location.Index(i)))
		}
		return true
	}
	if was, _, isReordered := merge.Order(before, after, t); isReordered {
		return d.reordered(here, before, after, was, t, at)
	}
	d.elements(here, before, after, t, at)
	return true
}

// elements compares the elements of lists by their keys or values.
func (d *differ) elements(here, before, after []any, t *schema.Type, at location.Location) {
	ours, theirs, result := merge.Index(here, t), merge.Index(before, t), merge.Index(after, t)
	for i := range here {
		name := merge.Name(here[i], t)
		j, wasThere := theirs[name]
		k, isThere := result[name]
		inner := at.With(location.Index(i))
		switch {
		case ours[name] != i || !isThere:
		case !wasThere:
			d.before.removed = append(d.before.removed, inner)
		default:
			d.values(here[i], before[j], after[k], t.Element(), inner)
		}
	}
	added := len(here)
	for _, element := range before {
		name := merge.Name(element, t)
		_, isHere := ours[name]
		if _, isThere := result[name]; !isHere && !isThere {
			d.before.put(at.With(location.Index(added)), element)
			added++
		}
	}
}

// reordered compares lists whose elements change their order; was are their names before the apply.
// It returns false where those of the package keep their order.
func (d *differ) reordered(here, before, after []any, was []string, t *schema.Type, at location.Location) bool {
	known := make(map[string]int, len(was))
	for i, name := range was {
		known[name] = i
	}
	place := func(i int) int {
		if at, ok := known[merge.Name(here[i], t)]; ok {
			return at
		}
		return len(was) // which the cluster does not have
	}
	indices := make([]int, len(here))
	for i := range indices {
		indices[i] = i
	}
	slices.SortStableFunc(indices, func(i, j int) int { return place(i) - place(j) })
	if slices.IsSorted(indices) {
		return false
	}
	list := make([]any, len(here))
	for to, from := range indices {
		list[to] = here[from]
	}
	d.before.set = append(d.before.set, edit{at: at, order: indices})
	first := len(d.after.set)
	d.elements(list, before, after, t, at)
	for i, edit := range d.after.set[first:] {
		edit.at = slices.Clone(edit.at)
		edit.at[len(at)].Index = indices[edit.at[len(at)].Index]
		d.after.set[first+i] = edit
	}
	return true
}

// stringData compares the texts of a Secret, which the server keeps encoded under data, and leaves
// only the others there.
func (d *differ) stringData(here, before, after map[string]any) {
	texts, _ := here["stringData"].(map[string]any)
	old, _ := before["data"].(map[string]any)
	now, _ := after["data"].(map[string]any)
	if len(texts) == 0 {
		return
	}
	restOfOld, restOfNow := maps.Clone(old), maps.Clone(now)
	added := 0
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		was, wasThere := old[key]
		if at := (location.Location{location.Key("stringData"), location.Key(key)}); !wasThere {
			added++
			d.before.removed = append(d.before.removed, at)
		} else if was != now[key] {
			encoded, _ := was.(string)
			text, isText := rules.SecretText(encoded)
			if !isText {
				text = encoded
			}
			d.before.put(at, text)
		}
		delete(restOfOld, key)
		delete(restOfNow, key)
	}
	if added == len(texts) {
		d.before.removed = append(d.before.removed, location.Location{location.Key("stringData")})
	}
	for _, side := range []struct{ object, rest map[string]any }{{before, restOfOld}, {after, restOfNow}} {
		if side.object["data"] = side.rest; len(side.rest) == 0 && here["data"] == nil {
			delete(side.object, "data")
		}
	}
}
