package schema

import (
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

// optional are fields that the schema of Kubernetes requires and its validation does not, each
// behind its type.
var optional = [][2]string{
	{"batch.v1.PodFailurePolicy", "rules"},
	{"core.v1.HTTPHeader", "value"},
	{"core.v1.ISCSIPersistentVolumeSource", "lun"},
	{"core.v1.ISCSIVolumeSource", "lun"},
	{"core.v1.LimitRangeSpec", "limits"},
	{"core.v1.PreferredSchedulingTerm", "preference"},
	{"core.v1.SleepAction", "seconds"},
	{"core.v1.Sysctl", "value"},
	{"scheduling.v1.PriorityClass", "value"},
	{"storage.v1.CSIDriver", "spec"},
	{"storage.v1.CSINode", "spec"},
	{"storage.v1.CSINodeSpec", "drivers"},
	{"storage.v1.TokenRequest", "audience"},
}

// requirement returns why the field at the end of a location is required, nil if it is not. The
// type is that of its parent map.
func (k *Kind) requirement(location location.Location, parent *Type) *Requirement {
	last := len(location) - 1
	isOwnStatus := k.StatusSubresource && location[0].Key == "status" // which an apply to the object itself leaves alone
	if parent.Map == nil || parent.free() || isOwnStatus {
		return nil
	}
	field := parent.Map.Field(location[last].Key)
	isStatus := last == 0 && location[last].Key == "status"
	if parent.isOptional(location[last].Key) || field != nil && k.Origin != Kubernetes && field.DefaultIn(parent, false) != nil {
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
		return f.Required && !t.isOptional(f.Name)
	})
}

// validated looks a field up in what validation requires.
func (k *Kind) validated(l location.Location) *Requirement {
	for _, field := range requiredFields()[l[len(l)-1].Key] {
		from := len(l) - len(field.path)
		isSame := func(step location.Step, name string) bool { return !step.IsIndex && step.Key == name }
		if from >= 0 && slices.EqualFunc(l[from:], field.path, isSame) && k.typeAt(l[:from]).Name == field.of {
			return &Requirement{Source: page(field.of)}
		}
	}
	return nil
}

// typeAt is the type of the value at a location.
func (k *Kind) typeAt(location location.Location) *Type {
	place := FieldSchema{Type: k.Type, Known: Declared}
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
	return value == nil || value == "" || value == false || value == 0.0 || value == int64(0)
}
