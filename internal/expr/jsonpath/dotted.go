package jsonpath

import (
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/keys"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
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

func fieldNames(steps []jsonStep) []string {
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = step.node.(*jsonpath.FieldNode).Value
	}
	return names
}

// joined returns the first place that the names lead to from p, joined with dots as the keys there
// have it, the longest key first. The names that lead to a place are those before it in one text,
// so that no place is tried twice.
func (w *pathWalk) joined(p *place, names []string) ([]*place, error) {
	if len(names) == 0 {
		return []*place{p}, nil
	}
	if !w.budget.Spend(keys.LookupWork(p.node)) {
		return nil, w.fail(dialect.TooMuchWork)
	}
	for _, count := range keys.Joined(p.node, names, ".") {
		key := strings.Join(names[:count], ".")
		c, err := w.child(p, location.Key(key), tree.Lookup(p.node, key), writeField(p.spelling, key))
		if err != nil {
			return nil, err
		}
		if found, err := w.joined(c, names[count:]); err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

// quoteMember returns the spelling of a union's path as the union has it, in quotes, or the path as
// written where quotes can't hold it.
func quoteMember(spelling, written string) string {
	name := strings.TrimPrefix(spelling, ".")
	if strings.ContainsAny(name, "',]") {
		return written
	}
	return "'" + name + "'"
}
