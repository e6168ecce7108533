package applyoperations

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/lists"
)

// specs is the table of operations. A new one is a line here and a variable beside its like. The
// aliases are the names of the proposal "Manipulating Kubernetes objects via an opinionated CRUD
// framework".
var specs = []Spec{
	create, createIfNotExists, createOrUpdate,
	deleteInForeground, deleteInBackground, deleteNonCascading,
	jqPatch, jqPatch.as("FilterPatch"), filterPatchOptimistic, mergePatch, jsonPatch,
	deleteInForeground.as("EnsureDeleted"), deleteInBackground.as("EnsureDeleteBackground"),
	deleteNonCascading.as("EnsureDeleteOrphan"),
}

// Spec is an entry of the table of operations.
type Spec struct {
	// Name is the name of the operation in messages, Alias another name that the entry stands for.
	Name, Alias string
	// Doc describes the operation, as the rest of a sentence that begins with its name.
	Doc string
	// Payload is the field with the operation's input besides the object's name, "" for none.
	Payload string
	// Lock says whether the operation takes a resourceVersion.
	Lock Lock
	// IsPatch is true if the operation takes the fields of patches: subresource and
	// ignoreMissingObject.
	IsPatch bool
	// Cascade says what a deletion does with dependents, as kubectl delete names it.
	Cascade string
	// compile sets the action of the operation, and its target if the payload names that, or
	// reports a fault.
	compile func(c *compiler, op *operation, o Operation, p payload)
}

// Lock says whether an operation takes a resourceVersion.
type Lock int

// What the entries say of a resourceVersion.
const (
	OptionalLock Lock = iota
	NoLock
	RequiredLock
)

// The fields of payloads.
const (
	fieldObject     = "object"
	fieldJQFilter   = "jqFilter"
	fieldMergePatch = "mergePatch"
	fieldJSONPatch  = "jsonPatch"
	fieldSpec       = "spec"
)

// as returns the entry of another name.
func (s Spec) as(alias string) Spec {
	s.Alias = alias
	return s
}

// Written is the name that the entry stands for.
func (s Spec) Written() string {
	if s.Alias != "" {
		return s.Alias
	}
	return s.Name
}

// NamesItself tells whether the payload names the object.
func (s Spec) NamesItself() bool { return s.Payload == fieldObject }

// Specs returns the entries of the table.
func Specs() []Spec { return slices.Clone(specs) }

// OperationName is the name of an operation, or an alias.
type OperationName string

// instead says what names of other tools stand for.
var instead = map[string]string{
	"Apply": "use CreateOrUpdate", "Update": "use CreateOrUpdate", "Remove": "use Delete",
	"Patch": "use MergePatch with mergePatch, JSONPatch with jsonPatch, or JQPatch with jqFilter",
}

// Instead implements config.Instead.
func (OperationName) Instead(name string) string { return instead[name] }

// Enum returns the names of all operations.
func (OperationName) Enum() []string {
	return lists.Map(specs, func(s Spec) string { return s.Written() })
}

// Doc says what each operation does.
func (OperationName) Doc() string {
	each := make([]string, len(specs))
	for i, s := range specs {
		if each[i] = s.Name + " " + s.Doc; s.Alias != "" {
			each[i] = s.Alias + " is " + s.Name
		}
	}
	return strings.Join(each, "; ") + "."
}

// OperationType is the name of an operation in the field operationType, an alias of operation.
type OperationType string

// Enum returns the names of all operations.
func (OperationType) Enum() []string { return OperationName("").Enum() }

// Doc is empty, since the field refers to the other.
func (OperationType) Doc() string { return "" }

// specOf returns the operation with a name; false if there is none.
func specOf(name OperationName) (Spec, bool) {
	return lists.Find(specs, func(s Spec) bool { return s.Written() == string(name) })
}
