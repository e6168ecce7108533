package applyoperations

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const createName = "Create"

var create = Spec{
	Name: createName, Doc: "adds the object, which must not exist yet",
	Payload: fieldObject, Lock: NoLock, compile: creating(createNew),
}

func createNew(root *tree.Node, _ string) action {
	return func(s *store, target *entry) error {
		if target != nil {
			return &existsError{found: target.ref, file: target.object.File()}
		}
		return s.add(root, plainCopy)
	}
}

// existsError reports that the object to create exists.
type existsError struct {
	found report.Ref
	file  report.File
}

func (e *existsError) Error() string {
	where := ""
	if path := e.file.String(); path != "" {
		where = " in " + path
	}
	return fmt.Sprintf("%s (%s) already exists%s; did you mean CreateOrUpdate or CreateIfNotExists?",
		e.found, e.found.APIVersion, where)
}
