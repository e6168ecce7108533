package object

import (
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// ReplaceData replaces the object's data with value. Equal parts, with numbers compared by value,
// keep their nodes and so their text; members of maps keep their order, new ones come last;
// elements of lists are paired so that little changes; a string that replaces another keeps the
// quotes. The nodes of value must not be changed afterwards; it may share nodes with Root.
func (o *Object) ReplaceData(value *tree.Node) {
	if o.Root() == nil {
		o.root = value
		return
	}
	o.root = o.replaced(o.root, value)
}

// Replace is Set, but what is there keeps its text as far as ReplaceData keeps it.
func (o *Object) Replace(l location.Location, value *tree.Node) error {
	if old := o.At(l); old != nil {
		if tree.Equal(old, value) {
			return nil
		}
		if o.isShared(l) { // what has the anchor keeps it
			old = tree.Copy(old)
		}
		value = o.replaced(old, value)
	}
	return o.Set(l, value)
}

// isShared tells whether a place is reached through an alias or a merge key.
func (o *Object) isShared(l location.Location) bool {
	n := o.Root()
	for _, step := range l {
		slot := step.Index
		if !step.IsIndex {
			slot = o.memberIndex(n, step.Key) + 1
		}
		if !step.IsIndex && slot == 0 || n.Content[slot].Kind == tree.AliasNode {
			return true
		}
		n = n.Content[slot]
	}
	return false
}

// replaced returns value with the nodes of old where they are equal; old itself if nothing differs.
func (o *Object) replaced(old, value *tree.Node) *tree.Node {
	if old == value {
		return old
	}
	if old.Kind == tree.AliasNode {
		if tree.Equal(old, value) {
			return old
		}
		old = tree.Copy(old)
	}
	switch now := tree.Deref(value); {
	case old.Kind != now.Kind || isCollection(old) && len(old.Content) == 0 && len(now.Content) > 0:
		return now
	case old.Kind == tree.MappingNode:
		return o.replacedMap(old, now)
	case old.Kind == tree.SequenceNode:
		return o.replacedList(old, now)
	default:
		return replacedScalar(old, now)
	}
}

func (o *Object) replacedMap(old, value *tree.Node) *tree.Node {
	wanted := make(map[string]*tree.Node, len(value.Content)/2)
	for key, member := range tree.Entries(value) {
		wanted[key] = member
	}
	members, merged := old.Content, mergedMembers(old, wanted)
	if !mergesStay(merged, wanted) {
		members, merged = expanded(old), nil
	}
	content := make([]*tree.Node, 0, len(members))
	for i := 0; i+1 < len(members); i += 2 {
		key, member := members[i], members[i+1]
		name := tree.Deref(key).Text()
		if tree.IsMergeKey(key) {
			content = append(content, key, member)
			continue
		}
		if now, ok := wanted[name]; ok {
			content = append(content, key, o.replaced(member, now))
		}
		delete(wanted, name)
	}
	for key, member := range tree.Entries(value) {
		if wanted[key] != nil {
			content = o.appendNew(content, key, member, merged[key])
		}
	}
	return o.withContent(old, content)
}

// appendNew appends a member that the map lacks, or that overrides the inherited one, which is nil
// for none.
func (o *Object) appendNew(content []*tree.Node, key string, member, inherited *tree.Node) []*tree.Node {
	if inherited != nil && tree.Equal(inherited, member) {
		return content
	}
	if inherited != nil {
		member = o.replaced(tree.Copy(inherited), member)
	}
	return append(content, tree.NewString(key), member)
}

// mergedMembers returns the members that merge keys bring into a map of which only the wanted
// members stay.
func mergedMembers(n *tree.Node, wanted map[string]*tree.Node) map[string]*tree.Node {
	if !tree.HasMerge(n) {
		return nil
	}
	kept, own := &tree.Node{Kind: tree.MappingNode}, []string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch name := tree.Deref(n.Content[i]).Text(); {
		case tree.IsMergeKey(n.Content[i]):
		case wanted[name] == nil:
			continue
		default:
			own = append(own, name)
		}
		kept.Content = append(kept.Content, n.Content[i], n.Content[i+1])
	}
	merged := maps.Collect(tree.Entries(kept))
	for _, name := range own {
		delete(merged, name)
	}
	return merged
}

// mergesStay tells whether merge keys can stay: all that they bring in is wanted, and some of it
// unchanged.
func mergesStay(merged, wanted map[string]*tree.Node) bool {
	same := len(merged) == 0
	for key, member := range merged {
		now := wanted[key]
		if now == nil {
			return false
		}
		same = same || tree.Equal(member, now)
	}
	return same
}

func (o *Object) replacedList(old, value *tree.Node) *tree.Node {
	pairs := align(old.Content, value.Content)
	content := asSpelled(value.Content, old.Content, pairs)
	for i, element := range content {
		if pairs[i] >= 0 {
			content[i] = o.replacedElement(old.Content[pairs[i]], element)
		}
	}
	return o.withContent(old, content)
}

// asSpelled returns the elements of a list with copies of the old ones that have moved, whose
// spelling and style so stay, in the place of their data.
func asSpelled(now, old []*tree.Node, pairs []int) []*tree.Node {
	spelled := slices.Clone(now)
	if len(old)*len(now) > maxPairs {
		return spelled
	}
	stays, isUsed := make([]bool, len(now)), make([]bool, len(old))
	for i, pair := range pairs {
		if pair >= 0 && tree.Equal(old[pair], now[i]) {
			stays[i], isUsed[pair] = true, true
		}
	}
	for i, element := range now {
		for from := 0; !stays[i] && from < len(old); from++ {
			if !isUsed[from] && tree.Equal(old[from], element) {
				spelled[i], stays[i], isUsed[from] = tree.Copy(old[from]), true, true
			}
		}
	}
	return spelled
}

// replacedElement is replaced for an element of a list. A scalar may be shared, but stands in one
// place only.
func (o *Object) replacedElement(old, value *tree.Node) *tree.Node {
	now := o.replaced(old, value)
	if now == value && now != old && now.Kind == tree.ScalarNode {
		c := *now
		now = &c
	}
	o.noteReplaced(old, now)
	return now
}

// withContent returns old, or, if its content differs, a copy with the content. Old is not changed,
// since the value that replaces it may share nodes with it.
func (o *Object) withContent(old *tree.Node, content []*tree.Node) *tree.Node {
	if slices.Equal(old.Content, content) {
		return old
	}
	c := *old
	c.Content = content
	o.setOrigin(&c, o.originOf(old))
	return &c
}

func replacedScalar(old, value *tree.Node) *tree.Node {
	before, after := tree.Scalar(old), tree.Scalar(value)
	if tree.EqualScalars(before, after) {
		return old
	}
	text, isString := after.(string)
	if _, wasString := before.(string); !isString || !wasString {
		return value
	}
	n := tree.NewString(text)
	quotes := old.Style & (tree.DoubleQuotedStyle | tree.SingleQuotedStyle)
	if quotes != 0 && n.Tag == tree.StringTag && !strings.Contains(text, "\n") {
		n.Style = quotes
	}
	return n
}
