package hint

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Fit returns a path adapted to the object: with the most similar keys, with dots and slashes as
// in its keys, and with omitted lists; false if it finds nothing.
func Fit(p Path, root *tree.Node) (Path, bool) {
	f := fitter{left: maxFitWork}
	return f.walk(tree.Deref(root), nil, p)
}

// maxFitWork is small, since a hint is made for each object in which an expression finds nothing.
const maxFitWork = 20_000

type fitter struct {
	// left is the work that is left.
	left int
}

func (f *fitter) spend(work int) bool {
	f.left -= work
	return f.left >= 0
}

// walk goes on with the rest of the steps from the node n; way are the steps that have led there.
func (f *fitter) walk(n *tree.Node, way, rest Path) (Path, bool) {
	if len(rest) == 0 {
		return way, true
	}
	if !f.spend(LookupWork(n)) {
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
func (f *fitter) step(n *tree.Node, way Path, s Step, rest Path) (Path, bool) {
	return f.walk(tree.Deref(n), append(slices.Clip(way), s), rest)
}

func (f *fitter) walkMap(n *tree.Node, way, rest Path) (Path, bool) {
	if rest[0].Kind == Elements || rest[0].Kind == Members {
		for _, value := range tree.Entries(n) {
			if found, ok := f.step(value, way, Step{Kind: Members}, rest[1:]); ok {
				return found, true
			}
		}
	}
	if rest[0].Kind == Filter || rest[0].Kind == Members {
		return nil, false
	}
	if value := tree.Lookup(n, rest[0].Key); value != nil {
		if found, ok := f.step(value, way, Step{Key: rest[0].Key}, rest[1:]); ok {
			return found, true
		}
	}
	if found, ok := f.joined(n, way, rest); ok {
		return found, true
	}
	if found, ok := f.split(n, way, rest); ok {
		return found, true
	}
	near, ok := Nearest(n, rest[0].Key)
	if !ok || near == rest[0].Key {
		return nil, false
	}
	return f.step(tree.Lookup(n, near), way, Step{Key: near}, rest[1:])
}

// joined tries the names joined to one key.
func (f *fitter) joined(n *tree.Node, way, rest Path) (Path, bool) {
	names := leadingNames(rest)
	for _, separator := range []string{"/", "."} {
		for _, count := range Joined(n, names, separator) {
			key := strings.Join(names[:count], separator)
			if count < 2 {
				continue
			}
			if found, ok := f.step(tree.Lookup(n, key), way, Step{Key: key}, rest[count:]); ok {
				return found, true
			}
		}
	}
	return nil, false
}

// split tries a name with dots as several names.
func (f *fitter) split(n *tree.Node, way, rest Path) (Path, bool) {
	names := strings.Split(strings.TrimPrefix(rest[0].Key, "."), ".")
	if len(names) < 2 || tree.Lookup(n, names[0]) == nil {
		return nil, false
	}
	var steps Path
	for _, name := range names {
		if name == "" {
			return nil, false
		}
		steps = append(steps, nameStep(name))
	}
	return f.walk(n, way, append(steps, rest[1:]...))
}

func (f *fitter) walkList(n *tree.Node, way, rest Path) (Path, bool) {
	s := rest[0]
	switch s.Kind {
	case Elements, Filter:
		return f.anyElement(n, way, s, rest[1:])
	case Index:
		i, ok := location.ListIndex(strings.TrimPrefix(s.Key, "-"))
		if strings.HasPrefix(s.Key, "-") {
			i = len(n.Content) - i
		}
		if !ok || i < 0 || i >= len(n.Content) {
			return nil, false
		}
		return f.step(n.Content[i], way, s, rest[1:])
	}
	if found, ok := f.anyElement(n, way, named(s.Key), rest[1:]); ok {
		return found, true
	}
	return f.anyElement(n, way, Step{Kind: Elements}, rest)
}

// anyElement goes on to the first element that the step leads to and that fits.
func (f *fitter) anyElement(n *tree.Node, way Path, s Step, rest Path) (Path, bool) {
	for _, element := range tree.Elements(n) {
		isRefused := func(c Condition) bool { return !c.Test().Accepts(element) }
		if !f.spend(1) || s.Kind == Filter && slices.ContainsFunc(s.Conditions, isRefused) {
			continue
		}
		if found, ok := f.step(element, way, s, rest); ok {
			return found, true
		}
	}
	return nil, false
}
