package patchpath

import (
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Test asks a list element for a field, as paths of ApplyPatches do. A missing field equals nothing
// and is unequal to everything; values of different types are unequal.
type Test struct {
	// Field is the path of keys and indices to the field; none for the element itself.
	Field []string
	// Operator is == or !=; without one, the field must be there.
	Operator string
	// Value is as tree.Scalar gives it.
	Value any
}

// TestOf is a condition with its value as data.
func TestOf(c hint.Condition) Test {
	test := Test{Field: c.Field, Operator: "==", Value: c.Value}
	if c.IsBare {
		test.Value = plainScalar(c.Value)
	}
	return test
}

// Accepts tells whether the test holds for the list element n.
func (t Test) Accepts(n *tree.Node) bool {
	field := t.find(tree.Deref(n))
	switch {
	case t.Operator == "":
		return field != nil
	case field == nil || tree.IsMap(field) || tree.IsList(field):
		return t.Operator == "!="
	}
	return tree.EqualScalars(tree.Scalar(field), t.Value) == (t.Operator == "==")
}

// find returns the field in n, or nil.
func (t Test) find(n *tree.Node) *tree.Node {
	for _, name := range t.Field {
		if !tree.IsList(n) {
			n = tree.Lookup(n, name)
			continue
		}
		i, ok := location.ListIndex(name)
		if !ok || i >= len(n.Content) {
			return nil
		}
		n = tree.Deref(n.Content[i])
	}
	return n
}

// plainScalar returns the value of the text as a plain YAML scalar.
func plainScalar(text string) any {
	return tree.Scalar(tree.NewScalar(tree.NoTag, text))
}
