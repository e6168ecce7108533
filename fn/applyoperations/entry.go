package applyoperations

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/quota"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var ownerReferencesAt = location.Location{location.Key("metadata"), location.Key("ownerReferences")}

// entry is an object in the store, with what the store must know of it without its data.
type entry struct {
	object *object.Object
	ref    report.Ref
	uid    string
	// owners are the owner references, in their order.
	owners []ownerReference
	gone   bool
	// reason and what say what happened to the object, what with an entry for each operation:
	// `operations[0]: patched`.
	reason string
	what   []string
	// account is what operations may make of the object.
	account *quota.Account
}

// ownerReference is one element of metadata.ownerReferences. The owner's namespace is that of the
// dependent, if it has one.
type ownerReference struct {
	ref report.Ref
	uid string
}

func newEntry(o *object.Object, account *quota.Account) *entry {
	e := &entry{object: o, account: account}
	e.read()
	return e
}

// read reads from the data what the entry says of it.
func (e *entry) read() {
	root := e.object.Root()
	e.ref, e.uid, e.owners = report.RefOf(root), textAt(root, "metadata", "uid"), nil
	for _, reference := range tree.Elements(location.At(root, ownerReferencesAt)) {
		ref := report.Ref{
			APIVersion: textAt(reference, "apiVersion"), Kind: textAt(reference, "kind"), Name: textAt(reference, "name"),
		}
		e.owners = append(e.owners, ownerReference{ref: ref, uid: textAt(reference, "uid")})
	}
}

// refers is 1 for an object with owner references, else 0.
func (e *entry) refers() int { return len(e.owners) }

// textAt returns the text of the scalar at keys; "" for null.
func textAt(n *yaml.Node, keys ...string) string {
	if n = tree.Get(n, keys...); tree.Type(n) == tree.Null {
		return ""
	}
	return tree.GetString(n)
}

// isAsBefore tells whether the run leaves the object as it came in, or as missing as it was.
func (e *entry) isAsBefore() bool {
	original := e.object.Original()
	if original == nil || e.gone {
		return original == nil && e.gone
	}
	return tree.Equal(e.object.Root(), original)
}
