package schema

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// WithKeys returns an object of the kind in which the elements of lists have the defaults of the
// fields that identify them, by which managedFields name them; the root itself where none is
// missing. Those of Kubernetes' own kinds have no such default but the protocol of a port.
func (k *Kind) WithKeys(root *tree.Node) *tree.Node {
	if k.Origin == Kubernetes || k.Origin == Assumed {
		return root
	}
	return k.Type.withKeys(root)
}

func (t *Type) withKeys(n *tree.Node) *tree.Node {
	n = tree.Deref(n)
	if t == nil || n == nil || n.Kind == tree.ScalarNode {
		return n
	}
	filled := n
	set := func(i int, now *tree.Node) {
		if now == tree.Deref(n.Content[i]) {
			return
		}
		if filled == n {
			filled = n.Bare()
			filled.Content = slices.Clone(n.Content)
		}
		filled.Content[i] = now
	}
	if tree.IsList(n) {
		for i, element := range n.Content {
			set(i, t.withKey(t.Element().withKeys(element)))
		}
		return filled
	}
	for i := 1; i < len(n.Content); i += 2 {
		set(i, t.Member(tree.Deref(n.Content[i-1]).Text()).withKeys(n.Content[i]))
	}
	return filled
}

// withKey returns an element of a list of the type with the defaults of what identifies it.
func (t *Type) withKey(element *tree.Node) *tree.Node {
	if t.List == nil || !tree.IsMap(element) {
		return element
	}
	for _, name := range t.List.Keys {
		field := t.Element().Field(name)
		if field == nil || field.Default == nil || tree.Lookup(element, name) != nil {
			continue
		}
		filled := element.Bare()
		filled.Content = append(slices.Clone(element.Content), tree.NewString(name), tree.FromValue(field.Default))
		element = filled
	}
	return element
}
