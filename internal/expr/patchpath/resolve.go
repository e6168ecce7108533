package patchpath

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxTargets is the number of places that a path may name.
const maxTargets = 65_536

// Match is one place that a path names in one object.
type Match struct {
	// Location is the place. Where the path appends, its last step is the index after the last
	// element of the list.
	Location location.Location
	// Exists tells whether a value is there; null is one.
	Exists bool
	// Parent is the deepest existing map or list on the way, and Missing the steps from it to the
	// place; both are empty if the place exists.
	//
	// The container of each step of Missing, except the first, must be created before a value can
	// be set: a map for a key, a list for an index. Such an index is 0, and an index that comes
	// first is the length of the list Parent, so that an index in Missing always appends. A
	// container to be created may be null now.
	Parent  location.Location
	Missing []location.Step
	// Append tells whether the path ends in `-` and that is no key of a map.
	Append bool
	// Obstacle says why no value can be put there; nil if one can.
	Obstacle *ResolveError
}

// Problem is the kind of a ResolveError; 0 for an operation that is impossible at a place.
type Problem int

const (
	// NothingSelected is a filter or `[*]` without a match.
	NothingSelected Problem = iota + 1
	// TooManyTargets is a path that names more than 65,536 places.
	TooManyTargets
	// NotAContainer is a segment after a string, a number or a boolean, or `[-]` on a map.
	NotAContainer
	// NotAnIndex is a segment on a list that is no index; one with a leading zero or a sign is
	// none.
	NotAnIndex
	// OutOfRange is an index beyond the length of a list.
	OutOfRange
	// MissingElement is a segment that goes on from, or would make, a list element that is not
	// there.
	MissingElement
)

// ResolveError says why a path leads to no place in one object, or to none for an operation.
type ResolveError struct {
	Path    string
	Problem Problem
	// Filter is the one that selects nothing, with which the reason begins; "" for none.
	Filter string
	// Reason says what was expected there and what was found.
	Reason string
	// Found is data with which the reason ends, or "".
	Found string
	// Fix says what to write instead, with a name from the data; "" where it is not known.
	Fix string
	// Document is the one that the path leads into, or "".
	Document string
}

func (e *ResolveError) Error() string { return e.Show(words.Open{}, false) }

// Show implements redact.ComposedError.
func (e *ResolveError) Show(mask words.Mask, hasSecret bool) string {
	text := fmt.Sprintf("path '%s': %s", mask.Expression(e.Path), e.Document+mask.Expression(e.Filter)+e.Reason+mask.Text(e.Found))
	if hasSecret {
		return text
	}
	return text + e.Fix
}

// Lookup finds the value of a key in a map, nil for none: tree.Lookup, or one that is faster in the
// large maps of an object.
type Lookup func(m *tree.Node, key string) *tree.Node

// Resolve returns the places that the path names in the object, in the order of its lists. No place
// is there twice. Errors are *ResolveError with the problem NothingSelected, where a filter or
// `[*]` selects nothing in any of the lists that the path has reached, or TooManyTargets; every
// other problem is that of one target, see Target.Obstacle.
//
// A number is an index of a list and a key of a map; where neither is there, an index. A null on
// the way counts as nothing. Resolve changes nothing in the object.
func (p *Path) Resolve(root *tree.Node, lookup Lookup) ([]Match, error) {
	here := []reached{{node: tree.Deref(root)}}
	for _, s := range p.segments {
		if s.kind == wildcardSegment || s.kind == filterSegment {
			var err error
			if here, err = p.selectElements(here, s); err != nil {
				return nil, err
			}
			continue
		}
		next := make([]reached, len(here))
		for i, h := range here {
			next[i] = p.stepInto(h, s, lookup)
		}
		here = next
	}
	targets := make([]Match, len(here))
	for i, h := range here {
		targets[i] = Match{Location: h.location, Exists: h.node != nil, Append: h.append, Obstacle: h.obstacle}
		if h.node == nil {
			targets[i].Parent, targets[i].Missing = slices.Clip(h.location[:h.existing]), h.location[h.existing:]
		}
	}
	return targets, nil
}

// reached is a place that the path has led to so far.
type reached struct {
	location location.Location
	// node is nil if nothing is there.
	node *tree.Node
	// existing is the number of leading steps that there are maps and lists for; it counts only
	// where node is nil.
	existing int
	append   bool
	obstacle *ResolveError
}

// selectElements goes on to the list elements that a filter or [*] selects.
func (p *Path) selectElements(here []reached, s segment) ([]reached, error) {
	var selected []reached
	for _, h := range here {
		for i, element := range tree.Elements(h.node) {
			if s.kind == filterSegment && !s.filter.Accepts(element) {
				continue
			}
			if len(selected) == maxTargets {
				return nil, p.fail(TooManyTargets, "must select at most %d locations", maxTargets)
			}
			selected = append(selected, reached{location: h.location.With(location.Index(i)), node: tree.Deref(element)})
		}
	}
	if len(selected) == 0 {
		return nil, p.nothingSelected(here[0], s)
	}
	return selected, nil
}

func (p *Path) nothingSelected(h reached, s segment) error {
	filter := "[*]"
	if s.kind == filterSegment {
		filter = writeFilter(*s.filter)
	}
	reason := fmt.Sprintf(" must select an element of %s, ", dialect.Place(h.location))
	switch {
	case h.node == nil:
		reason += "which does not exist"
	case !tree.IsList(h.node):
		reason += "which is " + tree.Typed(h.node)
	case len(h.node.Content) == 0:
		reason += "which is empty"
	default:
		reason += fmt.Sprintf("which has %s, but none that matches", words.Count(len(h.node.Content), "element"))
	}
	return &ResolveError{Path: p.text, Problem: NothingSelected, Filter: filter, Reason: reason}
}

// stepInto takes a segment that leads to one place.
func (p *Path) stepInto(h reached, s segment, lookup Lookup) reached {
	switch {
	case h.obstacle != nil:
		return h.missing(s, 0, h.existing)
	case h.node == nil:
		return p.stepIntoMissing(h, s, h.existing)
	case tree.IsMap(h.node):
		return p.stepIntoMap(h, s, lookup)
	case tree.IsList(h.node):
		return p.stepIntoList(h, s)
	case tree.Type(h.node) == tree.Null:
		return p.stepIntoMissing(h, s, max(0, len(h.location)-1))
	}
	next := h.missing(s, 0, len(h.location))
	next.obstacle = p.fail(NotAContainer, "%s must be a map or a list, found %s", dialect.Place(h.location), tree.Typed(h.node))
	return next
}

// missing is the place one segment on where nothing is there.
func (h reached) missing(s segment, end, existing int) reached {
	return reached{
		location: h.location.With(s.step(end)), existing: existing,
		append: s.kind != nameSegment, obstacle: h.obstacle,
	}
}

// step returns the step of a segment where nothing shows whether it leads into a map or a list; end
// is the index that `-` stands for.
func (s segment) step(end int) location.Step {
	if s.kind != nameSegment {
		return location.Index(end)
	}
	if i, ok := location.ListIndex(s.name); ok {
		return location.Index(i)
	}
	return location.Key(s.name)
}

// stepIntoMissing goes on from a place where nothing or a null is.
func (p *Path) stepIntoMissing(h reached, s segment, existing int) reached {
	next := h.missing(s, 0, existing)
	switch {
	case len(h.location) > 0 && h.node == nil && h.location[len(h.location)-1].IsIndex:
		next.obstacle = p.missingElement(h.location)
	case s.kind == nameSegment && next.location[len(h.location)].IsIndex:
		next.obstacle = p.missingElement(next.location)
	}
	return next
}

func (p *Path) missingElement(l location.Location) *ResolveError {
	return p.fail(MissingElement, `the list element %s must exist, since a path creates no list elements; "-" at the end of a path appends one`, l)
}

func (p *Path) stepIntoMap(h reached, s segment, lookup Lookup) reached {
	key := s.name
	switch s.kind {
	case dashSegment:
		key = "-"
	case appendSegment:
		next := h.missing(s, 0, len(h.location))
		next.obstacle = p.fail(NotAContainer, "[-] must be applied to a list, but %s is a map", dialect.Place(h.location))
		return next
	}
	location := h.location.With(location.Key(key))
	if child := lookup(h.node, key); child != nil {
		return reached{location: location, node: child}
	}
	return reached{location: location, existing: len(h.location)}
}

func (p *Path) stepIntoList(h reached, s segment) reached {
	length := len(h.node.Content)
	next, step := h.missing(s, length, len(h.location)), s.step(length)
	switch {
	case !step.IsIndex:
		next.obstacle = p.fail(NotAnIndex, `%s is a list; the segment after it must be an index, "-", [*] or a filter, found %q`,
			dialect.Place(h.location), s.name)
		next.obstacle.Fix = elementFix(h.node, s.name)
	case step.Index < length:
		return reached{location: next.location, node: tree.Deref(h.node.Content[step.Index])}
	case step.Index > length:
		next.obstacle = p.fail(OutOfRange, "the index %s must be at most %d, the length of %s", s.name, length, dialect.Place(h.location))
	}
	return next
}

// elementFix names the index without its leading zeros, or the element by its name.
func elementFix(list *tree.Node, segment string) string {
	switch {
	case location.IsDigits(segment):
		return "; write " + strings.TrimLeft(segment[:len(segment)-1], "0") + segment[len(segment)-1:]
	case hint.HasNamed(list, segment):
		return "; write " + writeFilter(Test{Field: []string{"name"}, Operator: "==", Value: segment})
	}
	return ""
}

func (p *Path) fail(problem Problem, format string, args ...any) *ResolveError {
	return &ResolveError{Path: p.text, Problem: problem, Reason: fmt.Sprintf(format, args...)}
}
