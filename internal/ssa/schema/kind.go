package schema

import (
	"maps"
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
)

// A Kind is the schema of the objects of one kind in one version.
type Kind struct {
	GVK
	Type *Type
	// Origin says where the schema comes from.
	Origin Origin
	// Source names the schema for a message: "Kubernetes v1.37.2", "CustomResourceDefinition
	// rollouts.argoproj.io", "Istio 1.30.3 https://…". It is "" where Origin is Assumed.
	Source string
	// StatusSubresource tells that an apply to the object itself leaves status alone.
	StatusSubresource bool
	// scale is the field that the scale subresource writes, where a CustomResourceDefinition names
	// it.
	scale location.Location
	// Versions are all versions of the kind that are known to be served. There are none where
	// Origin is Assumed.
	Versions []string
	// HasWebhook tells that a webhook converts between the versions, so that fields may have other
	// names in another one.
	HasWebhook bool
}

// ServerSet are the fields of metadata that only the API server sets.
var ServerSet = []string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields", "resourceVersion",
	"selfLink", "uid",
}

// An Origin says where the schema of a kind comes from.
type Origin byte

// A kind without a schema is Assumed to be a custom one, all of whose lists are atomic and maps
// granular, as a CustomResourceDefinition has them that says nothing else.
const (
	Assumed Origin = iota
	Kubernetes
	Shipped
	Given
)

// usualScale is the field that the scale subresources of Kubernetes' own kinds write, and those of
// most others.
var usualScale = location.Location{location.Key("spec"), location.Key("replicas")}

// Scale returns the field that the scale subresource of the kind writes; the usual one and false if
// a CustomResourceDefinition has no such subresource.
func (k *Kind) Scale() (location.Location, bool) {
	switch {
	case k.Origin != Given:
		return usualScale, true
	case k.scale == nil:
		return usualScale, false
	}
	return k.scale, true
}

// KubernetesVersion is the version of Kubernetes whose schemas are in the table.
func KubernetesVersion() string { return table().Kubernetes }

// Kinds returns the kinds of the table, each in all its versions.
func Kinds() []GVK {
	return lists.Map(table().Kinds, func(kind TableKind) GVK { return kind.GVK })
}

// Schemas are the schemas of one run: those of the table, and those of CustomResourceDefinitions
// that were given. The zero value is ready to use, and costs nothing before the first kind is
// looked up. Kind is safe for concurrent use.
type Schemas struct {
	given map[GVK]*Kind
	mutex sync.Mutex // guards found
	found map[GVK]*Kind
}

// Clone returns schemas to which definitions can be added that these do not get.
func (s *Schemas) Clone() *Schemas { return &Schemas{given: maps.Clone(s.given)} }

// Kind returns the schema of a kind. It is never nil.
func (s *Schemas) Kind(gvk GVK) *Kind {
	if kind := s.given[gvk]; kind != nil {
		return kind
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if kind := s.found[gvk]; kind != nil {
		return kind
	}
	kind := lookUp(gvk)
	if s.found == nil {
		s.found = map[GVK]*Kind{}
	}
	s.found[gvk] = kind
	return kind
}

// lookUp returns the schema of a kind in the table. A version that is not in it, such as one that
// Kubernetes has removed, has the schema of another, of a stable one if there is any.
func lookUp(gvk GVK) *Kind {
	kind := &Kind{GVK: gvk}
	t := table()
	var found *TableKind
	for i := range t.Kinds {
		entry := &t.Kinds[i]
		if entry.Group != gvk.Group || entry.Kind != gvk.Kind {
			continue
		}
		kind.Versions = append(kind.Versions, entry.Version)
		isStable := !strings.Contains(entry.Version, "alpha") && !strings.Contains(entry.Version, "beta")
		if found == nil || entry.Version == gvk.Version || found.Version != gvk.Version && isStable {
			found = entry
		}
	}
	if found == nil {
		kind.Type = assumed()
		return kind
	}
	kind.Type, kind.Origin, kind.Source = found.Type, Kubernetes, "Kubernetes "+t.Kubernetes
	kind.StatusSubresource = found.Type.Map.Field("status") != nil
	if found.Source != "" {
		kind.Origin, kind.Source = Shipped, found.Source
	}
	if found.Version != gvk.Version {
		kind.Versions = append(kind.Versions, gvk.Version)
		kind.Source += ", version " + found.Version
	}
	return kind
}

// assumed is the type of an object of which only the metadata is known.
func assumed() *Type {
	return &Type{Map: &Map{Fields: identity(table().Metadata), Element: deducedType}}
}

// identity are the fields that every object of Kubernetes has, whatever its schema says of them.
func identity(metadata *Type) []Field {
	text := &Type{Scalar: String}
	return []Field{{Name: "apiVersion", Type: text}, {Name: "kind", Type: text}, {Name: "metadata", Type: metadata}}
}
