package applyoperations

import (
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/jsonpatch"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const (
	createName         = "Create"
	createOrUpdateName = "CreateOrUpdate"
)

var create = Spec{
	Name: createName, Doc: "adds the object, which must not exist yet",
	Payload: fieldObject, Lock: NoLock,
	compile: creating(func(s *store, target *storedObject, root *tree.Node, _ string) error {
		if target == nil {
			return s.add(plainCopy(root))
		}
		where := ""
		if path := target.object.File().String(); path != "" {
			where = " in " + path
		}
		return words.Errorf("%s (%s) already exists%s; did you mean CreateOrUpdate or CreateIfNotExists?", target.ref, target.ref.APIVersion, where)
	}),
}

var createIfNotExists = Spec{
	Name: "CreateIfNotExists", Doc: "adds the object unless it exists",
	Payload: fieldObject, Lock: NoLock,
	compile: creating(func(s *store, target *storedObject, root *tree.Node, _ string) error {
		if target != nil {
			return nil
		}
		return s.add(plainCopy(root))
	}),
}

// createOrUpdate patches an existing object but not its status. A new object is created without
// null members, unless a resourceVersion is required: the object that had it is gone.
var createOrUpdate = Spec{
	Name: createOrUpdateName, Doc: "adds the object, or applies it as a merge patch if it exists",
	Payload: fieldObject,
	compile: creating(func(s *store, target *storedObject, root *tree.Node, resourceVersion string) error {
		switch {
		case target == nil && resourceVersion != "":
			return &conflictError{target: report.RefOf(root), want: resourceVersion}
		case target == nil:
			_, created, err := jsonpatch.Merge(tree.Lookup, tree.NewMap(), plainCopy(root))
			if err != nil {
				return err
			}
			return s.add(created)
		}
		patch := object.NewDocument(plainCopy(root))
		if target.ref.Namespace == "" {
			patch.Remove([]location.Location{namespaceAt}) // the API server ignores it
		}
		before, after, err := jsonpatch.Merge(target.object.Lookup, target.object.Root(), patch.Root())
		if err != nil {
			return err
		}
		return s.replace(target, before, after, false, report.ReasonUpdated)
	}),
}
