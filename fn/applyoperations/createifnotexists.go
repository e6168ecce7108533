package applyoperations

import "go.yaml.in/yaml/v3"

var createIfNotExists = Spec{
	Name: "CreateIfNotExists", Doc: "adds the object unless it exists",
	Payload: fieldObject, Lock: NoLock, compile: creating(createMissing),
}

func createMissing(root *yaml.Node, _ string) action {
	return func(s *store, target *entry) error {
		if target != nil {
			return nil
		}
		return s.add(root, plainCopy)
	}
}
