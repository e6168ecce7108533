package locate

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/tree"
)

// fit returns the guess as the object has it: with the keys that are nearest, dots
// and slashes where its keys have them, and the lists that were left out; false where it finds
// nothing.
func (g guess) fit(root *yaml.Node) (guess, bool) {
	f := fitter{budget: budget{left: maxFitWork}}
	return f.walk(tree.Deref(root), nil, g)
}

// maxFitWork is small, since a hint is made for each object in which an expression
// finds nothing.
const maxFitWork = 20_000

type fitter struct{ budget budget }

// walk goes on with the rest of the steps from the node n; way are the steps that
// have led there.
func (f *fitter) walk(n *yaml.Node, way, rest guess) (guess, bool) {
	if len(rest) == 0 {
		return way, true
	}
	if !f.budget.spend(members(n)) {
		return nil, false
	}
	switch {
	case tree.IsMap(n):
		return f.walkMap(n, way, rest)
	case tree.IsList(n):
		return f.walkList(n, way, rest)
	}
	return nil, false
}

// step goes on to the node n by the step s.
func (f *fitter) step(n *yaml.Node, way guess, s guessedStep, rest guess) (guess, bool) {
	return f.walk(tree.Deref(n), append(slices.Clip(way), s), rest)
}

func (f *fitter) walkMap(n *yaml.Node, way, rest guess) (guess, bool) {
	if rest[0].kind == guessedElements || rest[0].kind == guessedMembers {
		for _, value := range tree.Entries(n) {
			if found, ok := f.step(value, way, guessedStep{kind: guessedMembers}, rest[1:]); ok {
				return found, true
			}
		}
	}
	if rest[0].kind == guessedFiltered || rest[0].kind == guessedMembers {
		return nil, false
	}
	if value := tree.Lookup(n, rest[0].key); value != nil {
		if found, ok := f.step(value, way, guessedStep{key: rest[0].key}, rest[1:]); ok {
			return found, true
		}
	}
	if found, ok := f.joined(n, way, rest); ok {
		return found, true
	}
	if found, ok := f.split(n, way, rest); ok {
		return found, true
	}
	near, ok := nearestKey(n, rest[0].key)
	if !ok || near == rest[0].key {
		return nil, false
	}
	return f.step(tree.Lookup(n, near), way, guessedStep{key: near}, rest[1:])
}

// joined tries the names joined to one key.
func (f *fitter) joined(n *yaml.Node, way, rest guess) (guess, bool) {
	var names []string
	for _, s := range rest {
		if s.kind != guessedKey && s.kind != guessedIndex {
			break
		}
		names = append(names, s.key)
	}
	for _, separator := range []string{"/", "."} {
		for _, count := range joinedKeys(n, names, separator) {
			key := strings.Join(names[:count], separator)
			if count < 2 {
				continue
			}
			if found, ok := f.step(tree.Lookup(n, key), way, guessedStep{key: key}, rest[count:]); ok {
				return found, true
			}
		}
	}
	return nil, false
}

// split tries a name with dots as several names.
func (f *fitter) split(n *yaml.Node, way, rest guess) (guess, bool) {
	names := strings.Split(strings.TrimPrefix(rest[0].key, "."), ".")
	if len(names) < 2 || tree.Lookup(n, names[0]) == nil {
		return nil, false
	}
	var steps guess
	for _, name := range names {
		if name == "" {
			return nil, false
		}
		steps = append(steps, nameStep(name))
	}
	return f.walk(n, way, append(steps, rest[1:]...))
}

func (f *fitter) walkList(n *yaml.Node, way, rest guess) (guess, bool) {
	s := rest[0]
	switch s.kind {
	case guessedElements:
		return f.anyElement(n, way, s, rest[1:])
	case guessedFiltered:
		return f.anyElement(n, way, s, rest[1:])
	case guessedIndex:
		if i, ok := listIndex(s.key); ok && i < len(n.Content) {
			return f.step(n.Content[i], way, s, rest[1:])
		}
		return nil, false
	}
	named := guessedStep{kind: guessedFiltered, filter: guessedFilter{field: []string{"name"}, operator: "==", value: s.key}}
	if found, ok := f.anyElement(n, way, named, rest[1:]); ok {
		return found, true
	}
	return f.anyElement(n, way, guessedStep{kind: guessedElements}, rest)
}

// anyElement goes on to the first element that the step leads to and that fits.
func (f *fitter) anyElement(n *yaml.Node, way guess, s guessedStep, rest guess) (guess, bool) {
	for _, element := range tree.Elements(n) {
		if !f.budget.spend(1) || s.kind == guessedFiltered && !s.filter.accepts(element) {
			continue
		}
		if found, ok := f.step(element, way, s, rest); ok {
			return found, true
		}
	}
	return nil, false
}

func (f guessedFilter) accepts(element *yaml.Node) bool {
	filter := pathFilter{field: f.field, operator: f.operator, value: f.value}
	if f.isBare {
		filter.value = plainScalar(f.value)
	}
	return filter.accepts(element)
}
