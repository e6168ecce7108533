package applyoperations

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// addSecrets adds to a mask the Secrets that operations, valid or not, in the nodes write.
func addSecrets(mask *redact.Mask, nodes ...*tree.Node) {
	mask.Add(nodes...) // with objects that are structures
	for _, n := range nodes {
		addWritten(mask, n, tree.MaxDepth)
	}
}

// addWritten adds the Secrets that the operations in n write, as structures or in strings.
func addWritten(mask *redact.Mask, n *tree.Node, levels int) {
	if levels == 0 || tree.Type(n) != tree.Map && tree.Type(n) != tree.List {
		return
	}
	namesSecret := isSecretName(tree.GetString(n, "kind"))
	for _, field := range []string{fieldObject, fieldMergePatch, fieldJSONPatch, fieldSpec} {
		payload, err := structure(tree.Get(n, field))
		if err != nil || payload == nil {
			continue
		}
		mask.Add(payload)
		switch {
		case !namesSecret:
		case tree.IsList(payload):
			addPatched(mask, payload)
		default:
			mask.Add(redact.Values(tree.Get(payload, "data"), tree.Get(payload, "stringData")))
		}
	}
	for _, child := range tree.Deref(n).Content {
		addWritten(mask, child, levels-1)
	}
}

// isSecretName tells whether a name of a kind, as kubectl takes it, may be that of Secrets.
func isSecretName(kind string) bool {
	name, _, _ := strings.Cut(strings.ToLower(kind), ".")
	return name == "secret" || name == "secrets"
}

// addPatched adds the values of a JSON Patch.
func addPatched(mask *redact.Mask, patch *tree.Node) {
	mask.Add(redact.Values(lists.Map(tree.Elements(patch), func(n *tree.Node) *tree.Node { return tree.Get(n, "value") })...))
}

// AddPatch adds what a raw patch puts into an object with a Secret to the mask.
func (s Single) AddPatch(before *tree.Node) {
	switch {
	case !redact.Of(before).HasSecret():
	case tree.IsList(s.Raw):
		addPatched(s.mask, s.Raw)
	case !isSecretName(s.Target.Kind):
		s.mask.Add(redact.Values(s.Raw))
	}
}
