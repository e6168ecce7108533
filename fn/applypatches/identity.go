package applypatches

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// checkIdentity returns an error if the edits leave something that no host takes for an object.
// Another kind or name is valid. wasNamed tells whether the object had a name before the operation.
func (e *editor) checkIdentity(wasNamed bool) error {
	if !slices.ContainsFunc(e.changes, touchesIdentity) {
		return nil
	}
	root := e.object.Root()
	for _, key := range []string{"apiVersion", "kind"} {
		if n := tree.Get(root, key); !object.IsName(n) {
			return e.fail("%s must stay a non-empty string, found %s", key, found(n))
		}
	}
	metadata := tree.Get(root, "metadata")
	if hasValue(metadata) && !tree.IsMap(metadata) {
		return e.fail("metadata must stay a map, found %s", tree.Typed(metadata))
	}
	for _, key := range []string{"name", "namespace"} {
		if n := tree.Get(metadata, key); hasValue(n) && tree.Type(n) != tree.String {
			return e.fail("metadata.%s must stay a string, found %s", key, tree.Typed(n))
		}
	}
	if wasNamed && !isNamed(root) && !slices.ContainsFunc(e.changes, isRemoval) {
		return e.fail("metadata.name must stay a non-empty string, found %s", found(tree.Get(metadata, "name")))
	}
	return nil
}

// isNamed tells whether an object has a name, or lets the cluster choose one.
func isNamed(root *tree.Node) bool {
	metadata := tree.Get(root, "metadata")
	return object.IsName(tree.Get(metadata, "name")) || object.IsName(tree.Get(metadata, "generateName"))
}

// isRemoval tells whether a change is one of the op remove, whose author means what goes.
func isRemoval(c change) bool { return c.isGone }

func hasValue(n *tree.Node) bool { return n != nil && tree.Type(n) != tree.Null }

func touchesIdentity(c change) bool {
	switch l := c.location; len(l) {
	case 1:
		return slices.Contains([]string{"apiVersion", "kind", "metadata"}, l[0].Key)
	case 2:
		return l[0] == location.Key("metadata") && slices.Contains([]string{"name", "namespace"}, l[1].Key)
	}
	return false
}

// found names the type of data in n, or says that it is empty or nothing.
func found(n *tree.Node) string {
	switch {
	case n == nil:
		return "nothing"
	case tree.Type(n) == tree.String && tree.Deref(n).Text() == "":
		return `""`
	}
	return tree.Typed(n)
}
