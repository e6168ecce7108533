package jsonpath

import (
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// descend takes the first step, a recursive descent, into every map and list in the places and in
// what they hold, and from each the other steps.
func (w *pathWalk) descend(places []*reachedNode, steps []jsonStep) ([]*reachedNode, error) {
	w.descending = true
	var reached []*reachedNode
	for _, p := range places {
		from := *p
		from.spelling = w.spell(p, steps[0].source)
		if err := w.descendInto(&from, steps, 0, &reached); err != nil {
			return nil, err
		}
	}
	if w.ids != nil {
		reached = unique(reached)
	}
	return reached, nil
}

func (w *pathWalk) descendInto(p *reachedNode, steps []jsonStep, depth int, reached *[]*reachedNode) error {
	if !holdsAny(p.node) || !w.enter(p, &steps[0]) {
		return nil
	}
	if depth > dialect.MaxDepth {
		return w.fail(dialect.TooDeep)
	}
	next, err := w.walk([]*reachedNode{p}, steps[1:])
	if err != nil {
		return err
	}
	if *reached = append(*reached, next...); len(*reached) > dialect.MaxLocations {
		return w.fail(dialect.TooManyLocations)
	}
	for step, n := range steppedInto(p.node) {
		if !w.budget.Spend(1) {
			return w.fail(dialect.TooMuchWork)
		}
		if !holdsAny(tree.Deref(n)) {
			continue
		}
		c, err := w.child(p, step, n, p.spelling)
		if err != nil {
			return err
		}
		if err := w.descendInto(c, steps, depth+1, reached); err != nil {
			return err
		}
	}
	return nil
}

// holdsAny tells whether n is a map or a list that is not empty.
func holdsAny(n *tree.Node) bool { return n != nil && len(n.Content) > 0 }

// enter is false if the descent has visited p before.
func (w *pathWalk) enter(p *reachedNode, step *jsonStep) bool {
	if w.ids == nil {
		return true
	}
	d := descent{p.id, step}
	if w.descended[d] {
		return false
	}
	w.descended[d] = true
	return true
}

// unique returns the places without those that are there twice, in order.
func unique(places []*reachedNode) []*reachedNode {
	seen := make(map[int]bool, len(places))
	var once []*reachedNode
	for _, p := range places {
		if !seen[p.id] {
			seen[p.id] = true
			once = append(once, p)
		}
	}
	return once
}
