package object

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// Remove removes what is at the locations; a location where nothing is, is
// passed over. Locations are those of the state before the call, and a location
// inside another one counts once.
func (o *Object) Remove(locations []locate.Location) {
	going := o.removals(locate.Outermost(locations))
	parents := make([]*yaml.Node, len(going))
	for i, r := range going {
		parents[i] = o.own(r.parent)
	}
	for i, r := range going {
		if parents[i].Kind == yaml.SequenceNode {
			parents[i].Content = r.withoutElements(parents[i].Content)
			continue
		}
		o.removeMembers(parents[i], r)
	}
}

// removal is what goes from one map or list.
type removal struct {
	parent  locate.Location
	keys    map[string]bool
	indices map[int]bool
}

// removals returns the maps and lists that lose something.
func (o *Object) removals(locations []locate.Location) []removal {
	var all []removal
	known := map[string]int{} // the place in all, by the parent
	for _, l := range locations {
		if len(l) == 0 {
			continue
		}
		parent := l[:len(l)-1]
		pointer := parent.Pointer()
		i, ok := known[pointer]
		if !ok {
			i = len(all)
			known[pointer] = i
			all = append(all, removal{parent: parent, keys: map[string]bool{}, indices: map[int]bool{}})
		}
		if last := l[len(l)-1]; last.IsIndex {
			all[i].indices[last.Index] = true
		} else {
			all[i].keys[last.Key] = true
		}
	}
	found := all[:0]
	for _, r := range all {
		if r.finds(o.at(r.parent)) {
			found = append(found, r)
		}
	}
	return found
}

// finds tells whether the node at the parent has something of what is to go.
func (r removal) finds(parent *yaml.Node) bool {
	if tree.IsList(parent) {
		for i := range r.indices {
			if i >= 0 && i < len(parent.Content) {
				return true
			}
		}
		return false
	}
	for key := range tree.Entries(parent) {
		if r.keys[key] {
			return true
		}
	}
	return false
}

func (r removal) withoutElements(elements []*yaml.Node) []*yaml.Node {
	left := elements[:0]
	for i, element := range elements {
		if !r.indices[i] {
			left = append(left, element)
		}
	}
	clear(elements[len(left):])
	return left
}

// removeMembers removes members from the map m. Where a merge key brings one of
// them in, also one that stood behind a member of m's own, the members that the
// merge keys bring in stand in m themselves.
func (o *Object) removeMembers(m *yaml.Node, r removal) {
	m.Content = r.withoutMembers(m.Content)
	for key := range tree.Entries(m) {
		if r.keys[key] {
			m.Content = r.withoutMembers(o.withoutMerge(m, key))
			return
		}
	}
}

// withoutMembers returns the members of a map without those of its own that are to go.
func (r removal) withoutMembers(members []*yaml.Node) []*yaml.Node {
	left := members[:0]
	for i := 0; i+1 < len(members); i += 2 {
		if key := members[i]; tree.IsMergeKey(key) || !r.keys[tree.Deref(key).Value] {
			left = append(left, key, members[i+1])
		}
	}
	clear(members[len(left):])
	return left
}
