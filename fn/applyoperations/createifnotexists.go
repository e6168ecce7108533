package applyoperations

import "github.com/krm-fields/krm-fields/internal/yamldoc/tree"

var createIfNotExists = Spec{
	Name: "CreateIfNotExists", Doc: "adds the object unless it exists",
	Payload: fieldObject, Lock: NoLock,
	compile: creating(func(s *store, target *entry, root *tree.Node, _ string) error {
		if target != nil {
			return nil
		}
		return s.add(root, plainCopy)
	}),
}
