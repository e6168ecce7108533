package suggest

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/process"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// prove runs the functionConfig over the objects: it must strip the fields that
// differ and no others, and then leave no difference.
func prove(config *yaml.Node, pairs []*pairOfObjects, fieldManager string) error {
	items := make([]*object.Object, len(pairs))
	for i, p := range pairs {
		items[i] = object.NewDocument(withoutOwnRules(p.desired))
	}
	out, results := process.Items(forProof(config), items)
	for _, result := range results {
		if result.Severity == report.Error {
			return &ProofError{Reason: result.Message}
		}
	}
	for i, p := range pairs {
		expected := object.NewDocument(withoutOwnRules(p.desired))
		var locations []locate.Location
		for _, d := range p.differences {
			locations = append(locations, d.place.here)
		}
		expected.Remove(locations)
		if !tree.Equal(expected.Root(), out[i].Root()) {
			return &ProofError{Reason: fmt.Sprintf("the rules do not strip the fields of %s that differ, and only those", p.ref)}
		}
		again := &pairOfObjects{desired: out[i].Root(), live: p.live, ref: p.ref}
		again.compare(fieldManager)
		if len(again.differences) > 0 {
			return &ProofError{Reason: fmt.Sprintf("%s of %s still differs", again.differences[0].place.here, p.ref)}
		}
	}
	return nil
}

// withoutOwnRules copies an object without the rules that it carries itself.
func withoutOwnRules(root *yaml.Node) *yaml.Node {
	o := object.NewDocument(tree.Copy(root))
	at := locate.Location{locate.Key("metadata"), locate.Key("annotations"), locate.Key("fn.kpt.dev/ignore-fields")}
	if locate.At(o.Root(), at) != nil {
		o.Remove([]locate.Location{at})
	}
	return o.Root()
}

// forProof is the functionConfig with nothing but stripping.
func forProof(config *yaml.Node) *yaml.Node {
	config = tree.Copy(config)
	config.Content = append(config.Content,
		tree.NewString("pruneEmptied"), tree.NewString("Never"),
		tree.NewString("onNoMatch"), tree.NewString("Error"),
		tree.NewString("objectHash"), tree.FromValue(map[string]any{"emit": false}),
	)
	return config
}
