package plan

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// match is an object in both packages. One that lacks it has no pair.
type match struct {
	base, head *pair
	// before and after are the plans; nil for none.
	before, after *PlannedObject
	// lacked and lacks say what the cluster lacks that the object needs.
	lacked, lacks []string
	// isTwice tells that the package has more objects of the identity than before.
	isTwice bool
}

// named is an object of a package under its name: the last one of it, which wins. What generateName
// names is many objects.
type named struct {
	*pair
	name selector.Identity
	// count is how many objects have the name.
	count int
}

func namesOf(pairs []pair) (all []*named) {
	last := map[selector.Identity]*named{}
	for i := range pairs {
		name, isGenerated := pairs[i].identity, pairs[i].identity.Name == ""
		name.Namespace, name.Assumed = cmp.Or(name.Namespace, name.Assumed), ""
		if isGenerated {
			name.Name = tree.GetString(pairs[i].object.Root(), "metadata", "generateName") + "*"
		}
		one := last[name]
		if one == nil || isGenerated {
			one = &named{name: name}
			all, last[name] = append(all, one), one
		}
		one.pair = &pairs[i]
		one.count++
	}
	return all
}

// A likeness makes objects of both packages the same one.
type likeness struct {
	name   func(o *named) selector.Identity
	isSame func(base, head *named) bool
}

// pairUp finds the object before the change for each one after it, and returns those that are left.
func pairUp(base, head []*named) (before map[*named]*named, gone []*named) {
	before = map[*named]*named{}
	for _, likeness := range likenesses {
		open := map[selector.Identity][]*named{}
		for _, o := range base {
			open[likeness.name(o)] = append(open[likeness.name(o)], o)
		}
		for _, o := range head {
			of := open[likeness.name(o)]
			if i := slices.IndexFunc(of, func(b *named) bool { return before[o] == nil && likeness.isSame(b, o) }); i >= 0 {
				before[o] = of[i]
				open[likeness.name(o)] = slices.Delete(of, i, i+1)
			}
		}
		base = slices.DeleteFunc(base, func(o *named) bool { return !slices.Contains(open[likeness.name(o)], o) })
	}
	return before, base
}

func isSecret(i selector.Identity) bool { return i.Group == "" && i.Kind == "Secret" }

func isSameText(a, b *object.Object) bool {
	textOfA, errOfA := a.Text()
	textOfB, errOfB := b.Text()
	return errOfA == nil && errOfB == nil && bytes.Equal(textOfA, textOfB)
}
