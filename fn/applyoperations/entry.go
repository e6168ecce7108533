package applyoperations

import (
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var (
	namespaceAt       = location.Location{location.Key("metadata"), location.Key("namespace")}
	ownerReferencesAt = location.Location{location.Key("metadata"), location.Key("ownerReferences")}
)

// storedObject is an object in the store, with its metadata, so that the store needs no data of
// objects that no operation is about.
type storedObject struct {
	object *object.Object
	ref    report.Ref
	uid    string
	// owners are the owner references, in their order.
	owners []ownerReference
	gone   bool
	// reason and what say what happened to the object, for example `operations[0]: patched`.
	reason string
	what   []string
	// last is the last operation on the object.
	last operation
}

// ownerReference is one element of metadata.ownerReferences. The owner's namespace is that of the
// dependent, if it has one.
type ownerReference struct {
	ref report.Ref
	uid string
}

func newEntry(o *object.Object) *storedObject {
	e := &storedObject{object: o}
	e.read()
	return e
}

// read reads the metadata from the object's data.
func (e *storedObject) read() {
	root := e.object.Root()
	e.ref, e.uid, e.owners = report.RefOf(root), tree.GetString(root, "metadata", "uid"), nil
	for _, reference := range tree.Elements(location.At(root, ownerReferencesAt)) {
		ref := report.Ref{
			APIVersion: tree.GetString(reference, "apiVersion"), Kind: tree.GetString(reference, "kind"), Name: tree.GetString(reference, "name"),
		}
		e.owners = append(e.owners, ownerReference{ref: ref, uid: tree.GetString(reference, "uid")})
	}
}

// isUnchanged tells whether the object is as it was in the input.
func (e *storedObject) isUnchanged() bool {
	original := e.object.Original()
	if original == nil || e.gone {
		return original == nil && e.gone
	}
	return tree.Equal(e.object.Root(), original)
}
