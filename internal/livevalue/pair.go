package livevalue

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// pairing says which element of one list corresponds to which of the other.
type pairing struct {
	ours, live     []*tree.Node
	inOurs, inLive *want
	at             location.Location
	// toOurs has by the index in the live list that in our list, and toLive the other way round; -1
	// is none.
	toOurs, toLive []int
	// byKeys is true if the keys or names of the elements decide.
	byKeys bool
	// isLenient pairs elements that nothing tells apart by their order.
	isLenient bool
}

// pair pairs the elements of two lists: by the merge keys in the list's schema, else by name, else
// by content without the taken fields, else, for lists of equal length, by index.
func (c *comparison) pair(ours, live *tree.Node, inOurs, inLive *want, l location.Location) (*pairing, error) {
	p := &pairing{ours: tree.Elements(ours), live: tree.Elements(live), inOurs: inOurs, inLive: inLive, at: l, isLenient: c.IsLenient}
	p.toOurs, p.toLive = slices.Repeat([]int{-1}, len(p.live)), slices.Repeat([]int{-1}, len(p.ours))
	for _, key := range []listkey.Key{c.Keys(l), listkey.Of("name")} {
		if p.byKeys = len(key) > 0 && key.In(p.ours, p.live); p.byKeys {
			return p, p.match("keys ("+key.String()+")", func(n *tree.Node, _ *want) string {
				text, _ := key.Of(n)
				return text
			})
		}
	}
	if err := p.match("content", contentText); err != nil {
		return p, err
	}
	var all *want // the locations wanted in any element, as if they were wanted in each
	for _, w := range []*want{p.inOurs, p.inLive} {
		for _, step := range steps(w, nil) {
			if child := w.child(step); !child.isEnd() {
				all = merged(all, child)
			}
		}
	}
	if err := p.match("content", func(n *tree.Node, _ *want) string { return contentText(n, all) }); err != nil {
		return p, err
	}
	for i := range p.live {
		if len(p.ours) == len(p.live) && p.toOurs[i] < 0 && p.toLive[i] < 0 {
			p.toOurs[i], p.toLive[i] = i, i
		}
	}
	return p, nil
}

// match pairs the unpaired elements for which identify returns the same text. It gets each element
// with the locations wanted in it.
func (p *pairing) match(how string, identify func(*tree.Node, *want) string) error {
	ours, live := map[string][]int{}, map[string][]int{}
	for j, element := range p.ours {
		if p.toLive[j] < 0 {
			text := identify(element, p.inOurs.child(location.Index(j)))
			ours[text] = append(ours[text], j)
		}
	}
	var order []string
	for i, element := range p.live {
		if p.toOurs[i] < 0 {
			text := identify(element, p.inLive.child(location.Index(i)))
			if live[text] == nil {
				order = append(order, text)
			}
			live[text] = append(live[text], i)
		}
	}
	for _, text := range order {
		candidates, of := ours[text], live[text]
		if len(candidates) == 1 && len(of) == 1 {
			p.toOurs[of[0]], p.toLive[candidates[0]] = candidates[0], of[0]
			continue
		}
		if p.isLenient {
			for k := range min(len(candidates), len(of)) {
				p.toOurs[of[k]], p.toLive[candidates[k]] = candidates[k], of[k]
			}
			continue
		}
		if by, wanted := p.holdsWanted(of, candidates); wanted && len(candidates) > 0 {
			return &Error{By: by, reason: fmt.Sprintf(
				"an element on the cluster must match one element of the package, found %s on the cluster and %s in the package with the same %s",
				p.places(of), p.places(candidates), how)}
		}
	}
	return nil
}

// holdsWanted tells whether an element holds a wanted location, and which expression named it.
func (p *pairing) holdsWanted(live, ours []int) (int, bool) {
	for side, indices := range [][]int{live, ours} {
		for _, i := range indices {
			if w := []*want{p.inLive, p.inOurs}[side].child(location.Index(i)); w != nil {
				return w.first(), true
			}
		}
	}
	return 0, false
}

func (p *pairing) places(indices []int) string {
	return strings.Join(lists.Map(indices, func(i int) string { return p.at.With(location.Index(i)).String() }), ", ")
}

// contentText returns the data of an element without the wanted locations, or all of it if the
// whole element is wanted.
func contentText(element *tree.Node, wanted *want) string {
	value := tree.Value(element)
	if !wanted.isEnd() {
		value = without(value, wanted)
	}
	return listkey.Text(value)
}

// without returns a copy of a value without the wanted locations.
func without(value any, wanted *want) any {
	if wanted == nil {
		return value
	}
	switch value := value.(type) {
	case map[string]any:
		left := make(map[string]any, len(value))
		for key, member := range value {
			if child := wanted.child(location.Key(key)); !child.isEnd() {
				left[key] = without(member, child)
			}
		}
		return left
	case []any:
		var left []any
		for i, element := range value {
			if child := wanted.child(location.Index(i)); !child.isEnd() {
				left = append(left, without(element, child))
			}
		}
		return left
	}
	return value
}

// list compares two lists. live is nil if the cluster has none.
func (c *comparison) list(ours, live *tree.Node, inOurs, inLive *want, s spot) error {
	pairs, err := c.pair(ours, live, inOurs, inLive, s.ours)
	if err != nil {
		return err
	}
	isAll := live != nil && !pairs.byKeys && inOurs.hasAll(ours) && inLive.hasAll(live)
	if isAll && c.Choose == nil { // in the order of the live list
		c.copyLive(ours, live, s, inLive.first())
		return nil
	}
	kept, edits := c.kept, len(c.out.edits)
	inserted := false
	for i, element := range tree.Elements(live) {
		wanted, j := inLive.child(location.Index(i)), pairs.toOurs[i]
		switch {
		case wanted == nil && (j < 0 || inOurs.child(location.Index(j)) == nil):
		case j >= 0:
			step := location.Index(j)
			if err := c.at(ours.Content[j], element, inOurs.child(step), wanted, s.with(step, location.Index(i))); err != nil {
				return err
			}
		case wanted.isEnd():
			inserted = c.insert(element, s.with(location.Index(pairs.placeFor(i)), location.Index(i)), wanted.by) || inserted
		}
	}
	isSame := isAll && len(live.Content) == len(ours.Content) && len(c.out.edits) == edits
	if isSame && c.kept-kept == len(live.Content) && !slices.IsSorted(pairs.toOurs) { // all are kept, in another order
		c.out.edits = append(c.out.edits, edit{at: s.ours, value: Plain(live)})
		c.out.Changes = append(c.out.Changes, Change{At: s.ours, Old: ours, New: live, By: inLive.first()})
		return nil
	}
	// Elements without keys are those of the live list with other content, if that has any.
	isReplaced := c.Choose == nil || inserted && !pairs.byKeys
	for j, element := range tree.Elements(ours) {
		if wanted := inOurs.child(location.Index(j)); wanted.isEnd() && pairs.toLive[j] < 0 && isReplaced {
			c.set(element, nil, s.ours.With(location.Index(j)), wanted.by)
		}
	}
	return nil
}

// insert copies an element that only the live list has, if it is chosen.
func (c *comparison) insert(element *tree.Node, s spot, by int) bool {
	value := c.chosen(nil, element, s, by)
	if value == nil {
		return false
	}
	c.out.edits = append(c.out.edits, edit{at: s.ours, value: Plain(value), insert: true})
	c.out.Changes = append(c.out.Changes, Change{At: s.ours, New: value, By: by})
	c.out.Parents = append(c.out.Parents, s.ours[:len(s.ours)-1])
	return true
}

// placeFor returns the index in our list before which a live element is inserted that ours does not
// have: behind the nearest element before it that both have, else before the nearest one behind it,
// else at the end.
func (p *pairing) placeFor(i int) int {
	for before := i - 1; before >= 0; before-- {
		if p.toOurs[before] >= 0 {
			return p.toOurs[before] + 1
		}
	}
	for _, ours := range p.toOurs[i+1:] {
		if ours >= 0 {
			return ours
		}
	}
	return len(p.ours)
}
