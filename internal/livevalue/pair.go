package livevalue

import (
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// AmbiguousError is an element of one list that corresponds to several of the other.
type AmbiguousError struct {
	// Ours and Live are the elements, as locations.
	Ours, Live []location.Location
	// How says what the elements have in common.
	How string
	By  int
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("an element on the cluster must match one element of the package, found %s on the cluster and %s in the package with the same %s",
		places(e.Live), places(e.Ours), e.How)
}

func places(all []location.Location) string {
	texts := make([]string, len(all))
	for i, l := range all {
		texts[i] = l.String()
	}
	return strings.Join(texts, ", ")
}

// pair pairs the elements of two lists: by the merge keys in the list's schema, else by name, else
// by content without the taken fields, else, for lists of equal length, by index.
func (c *comparison) pair(ours, live *tree.Node, inOurs, inLive *want, l location.Location) (pairs, error) {
	p := pairing{
		ours: tree.Elements(ours), live: tree.Elements(live), inOurs: inOurs, inLive: inLive, at: l,
	}
	p.pairs = newPairs(len(p.ours), len(p.live))
	for _, key := range []listkey.Key{c.Keys(l), listkey.Of("name")} {
		if p.pairs.byKeys = len(key) > 0 && key.In(p.ours, p.live); p.pairs.byKeys {
			return p.pairs, p.match("keys ("+key.String()+")", func(n *tree.Node, _ *want) string {
				text, _ := key.Of(n)
				return text
			})
		}
	}
	if err := p.match("content", contentText); err != nil {
		return p.pairs, err
	}
	all := p.wantedOfAny()
	if err := p.match("content", func(n *tree.Node, _ *want) string { return contentText(n, all) }); err != nil {
		return p.pairs, err
	}
	p.matchByIndex()
	return p.pairs, nil
}

// pairing is the work on two lists.
type pairing struct {
	ours, live     []*tree.Node
	inOurs, inLive *want
	at             location.Location
	pairs          pairs
}

// match pairs the unpaired elements for which identify returns the same text. It gets each element
// with the locations wanted in it.
func (p *pairing) match(how string, identify func(*tree.Node, *want) string) error {
	ours, live := map[string][]int{}, map[string][]int{}
	for j, element := range p.ours {
		if p.pairs.live[j] < 0 {
			text := identify(element, p.inOurs.child(location.Index(j)))
			ours[text] = append(ours[text], j)
		}
	}
	var order []string
	for i, element := range p.live {
		if p.pairs.ours[i] < 0 {
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
			p.pairs.join(of[0], candidates[0])
			continue
		}
		if by, wanted := p.holdsWanted(of, candidates); wanted && len(candidates) > 0 {
			return &AmbiguousError{Ours: p.locations(candidates), Live: p.locations(of), How: how, By: by}
		}
	}
	return nil
}

// holdsWanted tells whether an element holds a wanted location, and which expression named it.
func (p *pairing) holdsWanted(live, ours []int) (int, bool) {
	for _, i := range live {
		if w := p.inLive.child(location.Index(i)); w != nil {
			return w.first(), true
		}
	}
	for _, j := range ours {
		if w := p.inOurs.child(location.Index(j)); w != nil {
			return w.first(), true
		}
	}
	return 0, false
}

func (p *pairing) locations(indices []int) []location.Location {
	all := make([]location.Location, len(indices))
	for i, index := range indices {
		all[i] = p.at.With(location.Index(index))
	}
	return all
}

// matchByIndex pairs, in lists of equal length, what is left at the same index.
func (p *pairing) matchByIndex() {
	if len(p.ours) != len(p.live) {
		return
	}
	for i := range p.live {
		if p.pairs.ours[i] < 0 && p.pairs.live[i] < 0 {
			p.pairs.join(i, i)
		}
	}
}

// wantedOfAny returns the locations wanted in any element, as if they were wanted in each.
func (p *pairing) wantedOfAny() *want {
	var all *want
	for _, w := range []*want{p.inOurs, p.inLive} {
		for _, step := range steps(w, nil) {
			if child := w.child(step); !child.isEnd() {
				all = merged(all, child)
			}
		}
	}
	return all
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
