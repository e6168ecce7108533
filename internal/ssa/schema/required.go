package schema

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/fn/locate"
)

// A Requirement says that a field must be there.
type Requirement struct {
	// Source is "" where the schema itself requires the field, and otherwise the page that shows that Kubernetes'
	// validation does.
	Source string
	// Key tells that the elements of the list are told apart by the field.
	Key bool
}

var bySchema, byKey = &Requirement{}, &Requirement{Key: true}

// validated are fields that Kubernetes' validation requires although the schema doesn't: of a type, the fields on the way
// from it. Fields that validation requires only where others have certain values are not among them.
var validated = []struct {
	of, source string
	path       []string
}{
	{of: "core.v1.Container", path: []string{"image"}, source: coreValidation},
	{of: "core.v1.EphemeralContainerCommon", path: []string{"image"}, source: coreValidation},
	{of: "core.v1.EphemeralContainer", path: []string{"image"}, source: coreValidation},
	{of: "apps.v1.DaemonSetSpec", path: []string{"template", "metadata"}, source: appsValidation},
	{of: "apps.v1.DaemonSetSpec", path: []string{"template", "metadata", "labels"}, source: appsValidation},
	{of: "apps.v1.DeploymentSpec", path: []string{"template", "metadata"}, source: appsValidation},
	{of: "apps.v1.DeploymentSpec", path: []string{"template", "metadata", "labels"}, source: appsValidation},
	{of: "apps.v1.ReplicaSetSpec", path: []string{"template", "metadata"}, source: appsValidation},
	{of: "apps.v1.ReplicaSetSpec", path: []string{"template", "metadata", "labels"}, source: appsValidation},
	{of: "apps.v1.StatefulSetSpec", path: []string{"template", "metadata"}, source: appsValidation},
	{of: "apps.v1.StatefulSetSpec", path: []string{"template", "metadata", "labels"}, source: appsValidation},
	{of: "core.v1.PersistentVolumeClaimSpec", path: []string{"accessModes"}, source: coreValidation},
	{of: "core.v1.PersistentVolumeClaimSpec", path: []string{"resources"}, source: coreValidation},
	{of: "core.v1.PersistentVolumeClaimSpec", path: []string{"resources", "requests"}, source: coreValidation},
	{of: "core.v1.PersistentVolumeClaimSpec", path: []string{"resources", "requests", "storage"}, source: coreValidation},
	{of: "core.v1.PersistentVolumeSpec", path: []string{"accessModes"}, source: coreValidation},
	{of: "core.v1.PersistentVolumeSpec", path: []string{"capacity"}, source: coreValidation},
	{of: "core.v1.PersistentVolumeSpec", path: []string{"capacity", "storage"}, source: coreValidation},
	{of: "core.v1.ReplicationControllerSpec", path: []string{"template"}, source: coreValidation},
	{of: "apps.v1.ReplicaSetSpec", path: []string{"template"}, source: appsValidation},
	{of: "batch.v1.JobSpec", path: []string{"template", "spec", "restartPolicy"}, source: batchValidation},
	{of: "networking.v1.IngressClassSpec", path: []string{"controller"}, source: networkingValidation},
	{of: "networking.v1.IngressServiceBackend", path: []string{"port"}, source: networkingValidation},
}

// The files of Kubernetes below pkg/apis.
const (
	coreValidation       = "core/validation/validation.go"
	appsValidation       = "apps/validation/validation.go"
	batchValidation      = "batch/validation/validation.go"
	networkingValidation = "networking/validation/validation.go"
)

// pages is where the files are to be read.
const pages = "https://github.com/kubernetes/kubernetes/blob/%s/pkg/apis/%s"

// requirement returns why the field at the end of a location must be there, nil where it need not be. The type is that
// of the map that has it.
func (k *Kind) requirement(location locate.Location, parent *Type) *Requirement {
	last := len(location) - 1
	if parent.Map == nil || parent.free() {
		return nil
	}
	field := parent.Map.Field(location[last].Key)
	isStatus := last == 0 && location[last].Key == "status"
	if field != nil && (field.Required || field.isStruct() && field.Type.requires() && !isStatus) {
		return bySchema
	}
	if field != nil && field.Default == nil && last > 0 && location[last-1].IsIndex {
		if slices.Contains(k.Keys(location[:last-1]), field.Name) {
			return byKey
		}
	}
	return k.validated(location)
}

// isStruct tells whether the field is there even where the package has none, as an empty map.
func (f *Field) isStruct() bool {
	_, ok := f.Default.(map[string]any)
	return ok
}

// requires tells whether an empty map of the type lacks a field.
func (t *Type) requires() bool {
	return t.Map != nil && slices.ContainsFunc(t.Map.Fields, func(f Field) bool {
		if f.isStruct() {
			return f.Type.requires()
		}
		return f.Required
	})
}

// validated looks a field up in the table of what validation requires.
func (k *Kind) validated(location locate.Location) *Requirement {
	for i := range validated {
		entry := &validated[i]
		from := len(location) - len(entry.path)
		if from < 0 || !endsIn(location[from:], entry.path) {
			continue
		}
		if k.typeAt(location[:from]).Name == entry.of {
			return &Requirement{Source: fmt.Sprintf(pages, KubernetesVersion(), entry.source)}
		}
	}
	return nil
}

func endsIn(steps locate.Location, path []string) bool {
	for i, step := range steps {
		if step.IsIndex || step.Key != path[i] {
			return false
		}
	}
	return true
}

// typeAt is the type of the value at a location.
func (k *Kind) typeAt(location locate.Location) *Type {
	place := Place{Type: k.Type, Known: Declared}
	for _, step := range location {
		place.step(step)
	}
	return place.Type
}
