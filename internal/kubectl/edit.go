package kubectl

import (
	"context"
	"errors"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// An Edit changes one live object by patches that are made of what was read, and again, of what is
// read then, after a conflict.
type Edit struct {
	Ref  report.Ref
	File report.File
	// Live is the object as it was read; nil if it is still to be read.
	Live *tree.Node
	// Patches returns what is sent, none for an object that is as it should be.
	Patches func(live *tree.Node) ([]Patch, error)
}

// Patch is a JSON patch, without the resourceVersion, and the field manager that sends it; "" for
// the default of kubectl.
type Patch struct {
	Operations []any
	Manager    string
}

// editError is an edit that can't be made of the object as it is.
type editError struct{ error }

// errGone is the error of an object that is not there.
var errGone = &editError{errors.New("the cluster does not have the object")}

// Edits carries out edits, one after the other.
func (a *Applier) Edits(ctx context.Context, edits []Edit) {
	for _, e := range edits {
		a.carryOut(ctx, task{
			ref: e.Ref,
			try: func() (Outcome, error) {
				outcome, err := a.edit(&e)
				return Outcome{Ref: e.Ref, Outcome: outcome}, err
			},
			fail: func(of report.Ref, err error) {
				a.failures = append(a.failures, failure(a.Kubectl.Mask.Text(err.Error())).Of(of, e.File))
			},
		})
	}
}

// edit tries an edit once.
func (a *Applier) edit(e *Edit) (string, error) {
	live := e.Live
	e.Live = nil // after a conflict it is another
	if live == nil {
		found, _, err := a.Kubectl.getNamed(e.Ref)
		if err != nil {
			return Failed, err
		}
		there := Finder(found, a.Kubectl.Namespace)(object.NewDocument(Named(e.Ref)))
		if there == nil {
			return Failed, errGone
		}
		live = there.Root()
	}
	patches, err := e.Patches(live)
	if err != nil {
		return Failed, &editError{err}
	}
	if len(patches) == 0 {
		return Unchanged, nil
	}
	t, err := newTarget(object.NewDocument(live), e.Ref)
	if err != nil {
		return Failed, err
	}
	for _, p := range patches {
		operations := p.Operations
		if t.resourceVersion != "" {
			operations = append([]any{replaceVersion(t.resourceVersion)}, operations...)
		}
		now, err := a.patch(t, "json", operations, Option("--field-manager=", p.Manager))
		if err != nil {
			return Failed, a.asConflict(err, t, t.resourceVersion)
		}
		if a.DryRun != Server { // which has stored nothing
			t.resourceVersion = now
		}
	}
	return Patched, nil
}
