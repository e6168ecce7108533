package merge

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// A RefusedError says why the API server would refuse the package.
type RefusedError struct{ Cause error }

func (e *RefusedError) Error() string { return e.Cause.Error() }
func (e *RefusedError) Unwrap() error { return e.Cause }

// refuse refuses a package with managedFields.
func refuse(config map[string]any) error {
	metadata, _ := config["metadata"].(map[string]any)
	if _, ok := metadata["managedFields"].([]any); ok {
		return &RefusedError{fmt.Errorf("metadata.managedFields must be nil")}
	}
	return nil
}

// withoutManagedFields is an object without its managers.
func withoutManagedFields(value any) map[string]any {
	object, _ := value.(map[string]any)
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		return object
	}
	object, metadata = maps.Clone(object), maps.Clone(metadata)
	delete(metadata, "managedFields")
	object["metadata"] = metadata
	return object
}

// numbers is a copy of a value with the types that the merge knows: whole numbers are int64, times
// text.
func numbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, element := range v {
			out[key] = numbers(element)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = numbers(v[i])
		}
		return out
	case int:
		return int64(v)
	case uint64:
		return float64(v) // beyond int64
	case time.Time:
		return v.Format(time.RFC3339)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
	}
	return value
}

// zeroObject is what the API server compares an object with that is new to it: for a kind of
// Kubernetes the Go type's zero value, in which some fields are there, for a custom one nothing but
// the kind.
func zeroObject(kind *schema.Kind) map[string]any {
	object := map[string]any{}
	if kind.Origin == schema.Kubernetes {
		object, _ = zero(kind.Type).(map[string]any)
	}
	object["apiVersion"], object["kind"] = kind.APIVersion(), kind.GVK.Kind
	return object
}

// zero is the zero value of a type as Go writes it: fields that are structs, and scalars that are
// not left out when empty, have a default in the schema; lists, maps and pointers that are not left
// out are required and have none.
func zero(t *schema.Type) any {
	if t.Map == nil {
		return nil
	}
	object := map[string]any{}
	for _, field := range t.Map.Fields {
		switch d := field.Default.(type) {
		case map[string]any:
			object[field.Name] = zero(field.Type)
		case nil:
			if field.Required {
				object[field.Name] = nil
			}
		case float64:
			if d == 0 {
				object[field.Name] = int64(0)
			}
		case string:
			if d == "" {
				object[field.Name] = ""
			}
		case bool:
			if !d {
				object[field.Name] = false
			}
		}
	}
	return object
}

// systemMetadata are the fields of the metadata that an apply can't change.
var systemMetadata = []string{"uid", "creationTimestamp", "generation", "deletionTimestamp",
	"deletionGracePeriodSeconds", "resourceVersion", "selfLink"}

// stored is the merged object as the API server keeps it: as Go writes it, with the live object's
// status and system metadata.
func (p *predictor) stored(merged map[string]any) map[string]any {
	live := p.apply.Live
	merged = maps.Clone(merged)
	if p.kind.Origin == schema.Kubernetes {
		merged, _ = normalise(merged, live, p.kind.Type).(map[string]any)
	}
	if p.kind.StatusSubresource {
		p.keepStatus(merged)
	}
	metadata := map[string]any{}
	if field := p.kind.Type.Map.Field("metadata"); field != nil {
		given, _ := merged["metadata"].(map[string]any)
		normal, _ := normalise(given, live["metadata"], field.Type).(map[string]any)
		maps.Copy(metadata, normal)
	}
	liveMetadata, _ := live["metadata"].(map[string]any)
	for _, name := range systemMetadata {
		delete(metadata, name)
		if value, ok := liveMetadata[name]; ok {
			metadata[name] = value
		}
	}
	merged["metadata"] = metadata
	return merged
}

// keepStatus gives the object the live object's status, or that of a new one.
func (p *predictor) keepStatus(merged map[string]any) {
	delete(merged, "status")
	status, ok := p.apply.Live["status"]
	if p.apply.Live == nil && p.kind.Origin == schema.Kubernetes {
		status, ok = zeroObject(p.kind)["status"]
	}
	if ok {
		merged["status"] = status
	}
}

// normalise makes of a value what Go writes of it: without nulls, empty lists and empty maps that
// have no fields, where they are not required and the live object has none either, and with structs
// that are there even where they are empty.
func normalise(value, live any, t *schema.Type) any {
	switch v := value.(type) {
	case map[string]any:
		if t == nil || t.Map == nil {
			return v
		}
		was, _ := live.(map[string]any)
		return normaliseMap(v, was, t.Map)
	case []any:
		if t == nil || t.List == nil {
			return v
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = normalise(v[i], nil, t.List.Element)
		}
		return out
	}
	return value
}

func normaliseMap(value, live map[string]any, m *schema.Map) map[string]any {
	out := make(map[string]any, len(value))
	for key, element := range value {
		field := m.Field(key)
		if field == nil {
			out[key] = normalise(element, live[key], m.Element)
			continue
		}
		was, there := live[key]
		if field.Required || !omitted(element, field.Type) || there && omitted(was, field.Type) {
			out[key] = normalise(element, was, field.Type)
		}
	}
	for i := range m.Fields {
		field := &m.Fields[i]
		_, there := out[field.Name]
		if _, isStruct := field.Default.(map[string]any); isStruct && !there {
			out[field.Name] = zero(field.Type)
		}
	}
	return out
}

func omitted(value any, t *schema.Type) bool {
	switch v := value.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0 && t.Map != nil && len(t.Map.Fields) == 0
	}
	return false
}

// withNulls adds to a zero object the nulls of the live one, which Go writes although no schema
// says so.
func withNulls(zero, live map[string]any) {
	for key, value := range live {
		was, there := zero[key]
		if value == nil && !there {
			zero[key] = nil
		}
		inner, isMap := value.(map[string]any)
		below, wasMap := was.(map[string]any)
		if isMap && wasMap {
			withNulls(below, inner)
		}
	}
}
