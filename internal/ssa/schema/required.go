package schema

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// A Requirement says why a field is required.
type Requirement struct {
	// Source is "" if the schema itself requires the field, and otherwise the page that shows that
	// Kubernetes' validation does.
	Source string
	// Key is true if the field identifies the elements of its list.
	Key bool
}

var bySchema, byKey = &Requirement{}, &Requirement{Key: true}

// validated are fields that Kubernetes' validation requires although the schema doesn't, as paths
// from a type. Fields that validation requires only if other fields have certain values are not
// listed.
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
	{of: "core.v1.ConfigMapEnvSource", path: []string{"name"}, source: coreValidation},
	{of: "core.v1.ConfigMapProjection", path: []string{"name"}, source: coreValidation},
	{of: "core.v1.ConfigMapVolumeSource", path: []string{"name"}, source: coreValidation},
	{of: "core.v1.ExecAction", path: []string{"command"}, source: coreValidation},
	{of: "core.v1.PersistentVolume", path: []string{"spec"}, source: coreValidation},
	{of: "core.v1.SecretEnvSource", path: []string{"name"}, source: coreValidation},
	{of: "core.v1.SecretProjection", path: []string{"name"}, source: coreValidation},
	{of: "core.v1.SecretVolumeSource", path: []string{"secretName"}, source: coreValidation},
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
	{of: "admissionregistration.v1.RuleWithOperations", path: []string{"apiGroups"}, source: admissionValidation},
	{of: "admissionregistration.v1.RuleWithOperations", path: []string{"apiVersions"}, source: admissionValidation},
	{of: "admissionregistration.v1.RuleWithOperations", path: []string{"operations"}, source: admissionValidation},
	{of: "admissionregistration.v1.RuleWithOperations", path: []string{"resources"}, source: admissionValidation},
	{of: "networking.v1.IngressClassSpec", path: []string{"controller"}, source: networkingValidation},
	{of: "networking.v1.IngressServiceBackend", path: []string{"port"}, source: networkingValidation},
}

// optional are fields that the schema of Kubernetes requires and its validation does not.
var optional = []struct{ of, name string }{
	{of: "batch.v1.PodFailurePolicy", name: "rules"},
	{of: "core.v1.HTTPHeader", name: "value"},
	{of: "core.v1.LimitRangeSpec", name: "limits"},
	{of: "core.v1.PreferredSchedulingTerm", name: "preference"},
}

// Files of Kubernetes below pkg/apis.
const (
	coreValidation       = "core/validation/validation.go"
	appsValidation       = "apps/validation/validation.go"
	batchValidation      = "batch/validation/validation.go"
	networkingValidation = "networking/validation/validation.go"
	admissionValidation  = "admissionregistration/validation/validation.go"
)

// pages is the address of these files.
const pages = "https://github.com/kubernetes/kubernetes/blob/%s/pkg/apis/%s"

// requirement returns why the field at the end of a location is required, nil if it is not. The
// type is that of its parent map.
func (k *Kind) requirement(location location.Location, parent *Type) *Requirement {
	last := len(location) - 1
	if parent.Map == nil || parent.free() {
		return nil
	}
	field := parent.Map.Field(location[last].Key)
	isStatus := last == 0 && location[last].Key == "status"
	isOptional := slices.ContainsFunc(optional, func(o struct{ of, name string }) bool {
		return o.of == parent.Name && o.name == location[last].Key
	})
	if isOptional {
		return nil
	}
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

// isStruct tells whether the API server adds the field as an empty map if it is missing.
func (f *Field) isStruct() bool {
	_, ok := f.Default.(map[string]any)
	return ok
}

// requires tells whether the type has required fields.
func (t *Type) requires() bool {
	return t.Map != nil && slices.ContainsFunc(t.Map.Fields, func(f Field) bool {
		if f.isStruct() {
			return f.Type.requires()
		}
		return f.Required
	})
}

// validated looks a field up in the table of what validation requires.
func (k *Kind) validated(location location.Location) *Requirement {
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

func endsIn(steps location.Location, path []string) bool {
	for i, step := range steps {
		if step.IsIndex || step.Key != path[i] {
			return false
		}
	}
	return true
}

// typeAt is the type of the value at a location.
func (k *Kind) typeAt(location location.Location) *Type {
	place := Place{Type: k.Type, Known: Declared}
	for _, step := range location {
		place.step(step)
	}
	return place.Type
}

// IsEmpty tells whether a value is the zero value in Go.
func IsEmpty(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return value == nil || value == "" || value == false || value == 0.0 || value == int64(0) || value == 0
}
