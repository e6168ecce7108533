package jsonpath

import (
	"slices"
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/lists"
)

// canJoin tells whether two names follow each other somewhere in the steps.
func canJoin(steps []jsonStep) bool {
	for i, step := range steps {
		if leadingFields(steps[i:]) > 1 {
			return true
		}
		for _, member := range step.members {
			if canJoin(member) {
				return true
			}
		}
	}
	return false
}

// leadingFields counts the fields that the steps begin with.
func leadingFields(steps []jsonStep) int {
	for i, step := range steps {
		if step.node.Type() != jsonpath.NodeField {
			return i
		}
	}
	return len(steps)
}

// asQuoted returns the steps with each name in quotes as one, dots included; nil if that is the
// same.
func asQuoted(steps []jsonStep) []jsonStep {
	quoted, differs := make([]jsonStep, 0, len(steps)), false
	for i := 0; i < len(steps); {
		step, count := steps[i], max(1, steps[i].names)
		if count > 1 {
			key := strings.Join(fieldNames(steps[i:i+count]), ".")
			step = jsonStep{node: &jsonpath.FieldNode{NodeType: jsonpath.NodeField, Value: key}, source: step.source}
			differs = true
		}
		step.members = slices.Clone(step.members)
		for m, member := range step.members {
			if inQuotes := asQuoted(member); inQuotes != nil {
				step.members[m], differs = inQuotes, true
			}
		}
		quoted = append(quoted, step)
		i += count
	}
	if !differs {
		return nil
	}
	return quoted
}

// namesInQuotes marks the names of one pair of quotes, which client-go takes apart at the dots.
func namesInQuotes(steps []jsonStep) {
	if len(steps) > 1 && leadingFields(steps) == len(steps) {
		steps[0].names = len(steps)
	}
}

func fieldNames(steps []jsonStep) []string {
	return lists.Map(steps, func(step jsonStep) string { return step.node.(*jsonpath.FieldNode).Value })
}

// joined returns the first place that the names lead to from p, joined with dots as the keys there
// have it, the longest key first. The names that lead to a place are those before it in one text,
// so that no place is tried twice.
func (w *pathWalk) joined(p *reachedNode, names []string) ([]*reachedNode, error) {
	if len(names) == 0 {
		return []*reachedNode{p}, nil
	}
	if !w.budget.Spend(hint.LookupWork(p.node)) {
		return nil, w.fail(dialect.TooMuchWork)
	}
	counts := []int{1}
	if len(names) > 1 {
		counts = hint.Joined(p.node, names, ".")
	} else if w.in.Lookup(p.node, names[0]) == nil {
		return nil, nil
	}
	for _, count := range counts {
		key := strings.Join(names[:count], ".")
		c, err := w.fieldAt(p, key, w.in.Lookup(p.node, key))
		if err != nil {
			return nil, err
		}
		if found, err := w.joined(c, names[count:]); err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}
