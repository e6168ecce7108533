package applypatches

import (
	"fmt"
	"sync/atomic"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// objects finds the objects of the list by name, in their current state, for expressions.
type objects struct {
	items []*object.Object
	// named are the items by name; nil after a name has changed, as those of several objects may at
	// the same time.
	named atomic.Pointer[map[report.Ref][]*object.Object]
}

// renamed notes that a name has changed.
func (o *objects) renamed() { o.named.Store(nil) }

// find returns the object with a name, nil for none. Several are an error.
func (o *objects) find(ref report.Ref) (*object.Object, error) {
	named := o.named.Load()
	if named == nil {
		byName := map[report.Ref][]*object.Object{}
		for _, item := range o.items {
			if item.IsObject() {
				name := report.RefOf(item.Root())
				byName[name] = append(byName[name], item)
			}
		}
		named = &byName
		o.named.Store(named)
	}
	switch found := (*named)[ref]; len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	default:
		return nil, fmt.Errorf("object(…) must name one object, but %s (%s) occurs %d times in the list", ref, ref.APIVersion, len(found))
	}
}

// reader looks objects up for an object that is patched, or for a forEach.
type reader struct {
	objects *objects
	// namespace is that of the object that is patched, "" for none.
	namespace func() string
	// sawSecret is true if an object with a Secret was looked up, or with what is copied from one.
	sawSecret bool
}

// lookup returns the data of an object. The default namespace is that of the reader, or none.
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
	r.sawSecret = r.sawSecret || o.HidesEdits() || redact.Of(root).HasSecret()
	return tree.Value(root), true, nil
}

// readsObjects tells whether the result for an object may depend on another object.
func (r *run) readsObjects() bool {
	for _, t := range r.targets {
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
