package applyoperations

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maskOf returns the mask for faults of operations, valid or not, in the nodes.
func maskOf(nodes ...*tree.Node) redact.Mask {
	var roots []*tree.Node
	for _, n := range nodes {
		roots = append(append(roots, n), secretsIn(n, tree.MaxDepth)...)
	}
	return redact.New(roots...)
}

// secretsIn returns the Secrets that the operations in n write. An object as a structure is left
// out, since a mask finds that itself.
func secretsIn(n *tree.Node, levels int) []*tree.Node {
	if levels == 0 || tree.Type(n) != tree.Map && tree.Type(n) != tree.List {
		return nil
	}
	secrets := secretsOf(n)
	for _, child := range tree.Deref(n).Content {
		secrets = append(secrets, secretsIn(child, levels-1)...)
	}
	return secrets
}

// secretsOf returns the Secrets that the operation n writes.
func secretsOf(n *tree.Node) []*tree.Node {
	var secrets []*tree.Node
	names := tree.GetString(n, "kind") == "Secret"
	for _, field := range []string{fieldObject, fieldMergePatch, fieldJSONPatch, fieldSpec} {
		payload, err := structure(tree.Get(n, field))
		switch {
		case err != nil:
		case tree.GetString(payload, "kind") == "Secret":
			secrets = append(secrets, payload)
		case names && tree.IsList(payload):
			secrets = append(secrets, secretOfPatch(payload))
		case names:
			secrets = append(secrets, asSecret(tree.Get(payload, "data"), tree.Get(payload, "stringData")))
		}
	}
	return secrets
}

// secretOfPatch returns a Secret whose data are the values of a JSON Patch.
func secretOfPatch(patch *tree.Node) *tree.Node {
	return asSecret(words.Of(tree.Elements(patch), func(n *tree.Node) *tree.Node { return tree.Get(n, "value") })...)
}

// asSecret returns a Secret with these values; nil is none.
func asSecret(values ...*tree.Node) *tree.Node {
	values = slices.DeleteFunc(values, func(n *tree.Node) bool { return n == nil })
	return tree.NewMap("kind", "Secret", "data", tree.NewList(values...))
}
