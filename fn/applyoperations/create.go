package applyoperations

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const createName = "Create"

var create = Spec{
	Name: createName, Doc: "adds the object, which must not exist yet",
	Payload: fieldObject, Lock: NoLock,
	compile: creating(func(s *store, target *entry, root *tree.Node, _ string) error {
		if target == nil {
			return s.add(root, plainCopy)
		}
		where := ""
		if path := target.object.File().String(); path != "" {
			where = " in " + path
		}
		return fmt.Errorf("%s (%s) already exists%s; did you mean CreateOrUpdate or CreateIfNotExists?", target.ref, target.ref.APIVersion, where)
	}),
}
