package world

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Made are the namespaces and the custom kinds that objects make.
type Made struct {
	Namespaces map[string]bool
	Kinds      map[selector.GroupKind]bool
}

// MadeBy returns what objects make.
func MadeBy(objects []*object.Object) Made {
	m := Made{map[string]bool{}, map[selector.GroupKind]bool{}}
	for _, o := range objects {
		switch {
		case IsNamespace(o.Ref()):
			m.Namespaces[o.Ref().Name] = true
		case hostless.IsDefinition(o):
			m.Kinds[DefinedBy(o)] = true
		}
	}
	return m
}

// IsNamespace tells whether an object with those names is a namespace.
func IsNamespace(ref report.Ref) bool { return ref.APIVersion == "v1" && ref.Kind == "Namespace" }

// DefinedBy is the kind of a definition.
func DefinedBy(o *object.Object) (kind selector.GroupKind) {
	_ = o.Use(func() { kind = selector.DefinedBy(o.Root()) }) // the error is that of writing the object, too
	return kind
}

// NoNamespace says that the namespace of an object of the package is nowhere.
func NoNamespace(name string) string {
	return fmt.Sprintf("the cluster has no namespace %q, and the package does not create it", name)
}
