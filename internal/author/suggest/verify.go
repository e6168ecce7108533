package suggest

import (
	"fmt"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// verify runs the functionConfig on the objects: it must strip the differing fields and no others,
// and then leave no difference.
func verify(config *tree.Node, pairs []*pairOfObjects, options Options, schemas *schema.Schemas) error {
	items := make([]*object.Object, len(pairs))
	for i, p := range pairs {
		items[i] = object.NewDocument(withoutOwnRules(p.desired))
	}
	out, results := fn.ItemsWith(fn.Options{Purpose: ignorefields.Verification}, config, items)
	if err := firstError(results); err != nil {
		return err
	}
	for i, p := range pairs {
		expected := object.NewDocument(withoutOwnRules(p.desired))
		var locations []location.Location
		var opener embedded.Opener
		for _, d := range p.differences {
			if d.within == nil {
				locations = append(locations, d.place.here)
			} else if err := removeInside(&opener, expected, d); err != nil {
				return &VerificationError{Reason: err.Error()}
			}
		}
		expected.Remove(locations)
		if !tree.Equal(expected.Root(), out[i].Root()) {
			return &VerificationError{Reason: fmt.Sprintf("the rules do not strip the fields of %s that differ, and only those", p.ref)}
		}
		again := &pairOfObjects{desired: out[i].Root(), live: p.live, ref: p.ref}
		again.compare(options, schemas)
		again.intoStrings(true)
		if len(again.differences) > 0 {
			return &VerificationError{Reason: fmt.Sprintf("%s of %s still differs", again.differences[0].place.here, p.ref)}
		}
	}
	return nil
}

// removeInside removes the field of a difference from a document in a string of the object.
func removeInside(opener *embedded.Opener, o *object.Object, d difference) error {
	opened, err := opener.Open(o, d.within.here, embedded.Auto)
	if err != nil {
		return err
	}
	document := opened.Documents[d.document]
	if now, ok := document.EditedLocation(d.place.here); ok {
		document.Remove([]location.Location{now})
	}
	return opener.Write(o, opened, d.within.here)
}

// withoutOwnRules copies an object without the rules in its annotation.
func withoutOwnRules(root *tree.Node) *tree.Node {
	o := object.NewDocument(tree.Copy(root))
	at := location.Location{location.Key("metadata"), location.Key("annotations"), location.Key("fn.kpt.dev/ignore-fields")}
	if location.At(o.Root(), at) != nil {
		o.Remove([]location.Location{at})
	}
	return o.Root()
}

// firstError is the first error among results, as one of the verification.
func firstError(results []report.Result) error {
	for _, r := range results {
		if r.Severity == report.SeverityError {
			return &VerificationError{Reason: r.Message}
		}
	}
	return nil
}
