package merge

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Sent is what the package sets, with the labels and annotations that the tool keeps; nil where the
// package is refused, or nothing is sent.
func (p *Prediction) Sent() *fieldpath.Set {
	if p.details == nil {
		return nil
	}
	return p.details.config
}

// AsSent returns fields as the package has them: what a Secret has as data and the package as
// stringData is that, as in the API server's entries.
func (p *Prediction) AsSent(fields *fieldpath.Set) *fieldpath.Set {
	if !isSecret(p.kind) {
		return fields
	}
	both := fields.WithPrefix(secretData).Intersection(p.Sent().WithPrefix(secretTexts))
	return fields.Difference(under(secretData, both)).Union(under(secretTexts, both))
}

// Unsent returns which of the fields the live object has that neither the package nor others have,
// except defaults. Their Manager is not set.
func (p *Prediction) Unsent(fields, others *fieldpath.Set) []Leftover {
	return p.unsent(fields, p.Sent().Union(others), p.Live)
}

// WithManagers is a live object with other managers.
func WithManagers(live *tree.Node, managers []Manager) *tree.Node {
	object, _ := tree.Value(live).(map[string]any)
	entries := []any{}
	for _, m := range managers {
		entries = append(entries, m.Entry())
	}
	return tree.FromValue(withMetadata(object, func(metadata map[string]any) { metadata["managedFields"] = entries }))
}
