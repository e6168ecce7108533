package applypatches

import (
	"fmt"
	"math"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/quota"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// objects finds the objects of the list by their names, as they stand, for expressions.
type objects struct {
	items []*object.Object
	// named are the items by their names; nil where that must be made anew.
	named map[report.Ref][]*object.Object
}

// renamed notes that a name has changed.
func (o *objects) renamed() { o.named = nil }

// find returns the object with a name, nil where there is none. The error is a *severalError.
func (o *objects) find(ref report.Ref) (*object.Object, error) {
	if o.named == nil {
		o.named = map[report.Ref][]*object.Object{}
		for _, item := range o.items {
			if item.IsObject() {
				named := report.RefOf(item.Root())
				o.named[named] = append(o.named[named], item)
			}
		}
	}
	switch found := o.named[ref]; len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	default:
		return nil, &severalError{ref: ref, count: len(found)}
	}
}

// severalError is a name that several objects have.
type severalError struct {
	ref   report.Ref
	count int
}

func (e *severalError) Error() string {
	return fmt.Sprintf("object(…) must name one object, and %s (%s) is %d times in the list", e.ref, e.ref.APIVersion, e.count)
}

// reader is what looks objects up: an object that is patched, or a forEach.
type reader struct {
	objects *objects
	account *quota.Account
	// namespace is the one of the object that is patched, "" where there is none.
	namespace func() string
	// secrets are the Secrets that were looked up, whose values no message may show.
	secrets []*yaml.Node
}

// lookup returns the data of an object. Where the expression says no namespace, it is in that of
// the reader, or has none.
func (r *reader) lookup(apiVersion, kind, name string, namespace *string) (data any, found bool, err error) {
	ref := report.Ref{APIVersion: apiVersion, Kind: kind, Name: name}
	if ref.Namespace = r.namespace(); namespace != nil {
		ref.Namespace = *namespace
	}
	o, err := r.objects.find(ref)
	if err == nil && o == nil && namespace == nil && ref.Namespace != "" {
		ref.Namespace = ""
		o, err = r.objects.find(ref)
	}
	if err != nil || o == nil {
		return nil, false, err
	}
	root := o.Root()
	if err := r.account.Step(valueSteps * quota.SizeOf(root, math.MaxInt64) / quota.NodeSize); err != nil {
		return nil, false, err
	}
	if redact.IsSecret(apiVersion, kind) {
		r.secrets = append(r.secrets, tree.Copy(root)) // the nodes go when the Secret is settled
	}
	return tree.Value(root), true, nil
}

// readsObjects tells whether what is done to an object may depend on another one.
func (r *run) readsObjects() bool {
	for _, t := range r.targets() {
		if t.where != nil && t.where.Reads(cel.ObjectFunction) {
			return true
		}
	}
	for _, p := range r.patches {
		for _, o := range p.operations {
			if o.path.reads(cel.ObjectFunction) || o.value != nil && o.value.Reads(cel.ObjectFunction) {
				return true
			}
		}
	}
	return false
}
