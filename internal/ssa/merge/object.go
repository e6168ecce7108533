package merge

import (
	"encoding/base64"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// A RefusedError says why the API server would refuse the package.
type RefusedError struct{ Cause error }

func (e *RefusedError) Error() string { return e.Cause.Error() }
func (e *RefusedError) Unwrap() error { return e.Cause }

// A LiveError says why there is no prediction for a live object: it does not fit the schema.
type LiveError struct{ Cause error }

func (e *LiveError) Error() string { return "the live object: " + e.Cause.Error() }
func (e *LiveError) Unwrap() error { return e.Cause }

// refuse refuses a package whose metadata says what the API server alone may say. What it does with
// such an object that is new to it is not known.
func refuse(config, live map[string]any) error {
	own, there := metadata(config), metadata(live)
	if _, ok := own["managedFields"].([]any); ok {
		return &RefusedError{words.Errorf("metadata.managedFields must be nil")}
	}
	for _, field := range []string{"resourceVersion", "uid", "deletionTimestamp"} {
		text, _ := own[field].(string)
		switch {
		case text == "" || live != nil && text == there[field]:
		case live == nil && field != "resourceVersion":
			return words.Errorf("metadata.%s must not be set in the package: what the API server does with that of a new object is not predicted", field)
		case live == nil:
			return &RefusedError{words.Errorf("metadata.resourceVersion: should not be set on objects to be created")}
		case field == "resourceVersion":
			return &RefusedError{words.Errorf("metadata.resourceVersion: the object has been modified: it is %v on the cluster, and %s in the package",
				there[field], text)}
		default:
			return &RefusedError{words.Errorf("metadata.%s: Invalid value: %q: field is immutable", field, text)}
		}
	}
	return nil
}

// metadata is that of an object, nil if it has none.
func metadata(object map[string]any) map[string]any {
	m, _ := object["metadata"].(map[string]any)
	return m
}

// withMetadata returns a copy of an object with changed metadata.
func withMetadata(object map[string]any, change func(metadata map[string]any)) map[string]any {
	own := maps.Clone(metadata(object))
	if own == nil {
		own = map[string]any{}
	}
	change(own)
	object = maps.Clone(object)
	object["metadata"] = own
	return object
}

// withMember returns a copy of an object with a changed map in its metadata.
func withMember(object map[string]any, field string, change func(map[string]any)) map[string]any {
	return withMetadata(object, func(metadata map[string]any) {
		old, _ := metadata[field].(map[string]any)
		own := maps.Clone(old)
		if own == nil {
			own = map[string]any{}
		}
		change(own)
		metadata[field] = own
	})
}

// dataOf is a live object, without its managers, with the types that the merge knows.
func dataOf(live *tree.Node) map[string]any {
	if live == nil {
		return nil
	}
	number := func(n *tree.Node) any { return schema.Numbers(tree.Scalar(n)) }
	object := map[string]any{}
	for key, value := range tree.Entries(live) {
		if key != "metadata" || !tree.IsMap(value) {
			object[key] = tree.ValueBy(value, number)
			continue
		}
		own := map[string]any{}
		for key, value := range tree.Entries(value) {
			if key != "managedFields" {
				own[key] = tree.ValueBy(value, number)
			}
		}
		object[key] = own
	}
	return object
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
// not left out when empty, have a default in the schema; lists, maps and pointers have none.
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
			if field.IsWritten {
				object[field.Name] = nil
			}
		default:
			if reflect.ValueOf(d).IsZero() {
				object[field.Name] = d
			}
		}
	}
	return object
}

// stored is the merged object as the API server keeps it: as Go writes it, with defaults, and with
// the live object's status and system metadata.
func (p *predictor) stored(merged map[string]any) map[string]any {
	live := p.live
	w := writer{isKubernetes: p.kind.Origin == schema.Kubernetes}
	if isSecret(p.kind) {
		merged = encodeStringData(merged)
	}
	merged = encodeBytes(merged, byteMaps[p.kind.GVK])
	merged, _ = w.write(merged, live, p.kind.Type).(map[string]any)
	if p.kind.StatusSubresource {
		status, ok := live["status"] // or that of a new object
		if live == nil && w.isKubernetes {
			status, ok = zeroObject(p.kind)["status"]
		}
		if delete(merged, "status"); ok {
			merged["status"] = status
		}
	}
	own := metadata(merged)
	if own == nil {
		own = map[string]any{}
		merged["metadata"] = own
	}
	liveMetadata := metadata(live)
	for _, name := range schema.ServerSet {
		delete(own, name)
		if value, ok := liveMetadata[name]; ok {
			own[name] = value
		}
	}
	p.kind.Fill(merged)
	if isService(p.kind) && live != nil {
		keepAllocated(merged, live)
	}
	if _, ok := live["status"]; live != nil && !ok {
		delete(merged, "status")
	}
	return merged
}

// writesNothing tells whether an apply that stores what is there writes nothing. The API server
// writes for what it does not store: an empty map or list, or a null, in the metadata of a custom
// kind, a null in a map of bytes, and an empty map or list where that is another generation.
func (p *predictor) writesNothing(merged map[string]any) bool {
	if p.kind.Origin == schema.Kubernetes {
		bytes, _ := merged[byteMaps[p.kind.GVK]].(map[string]any)
		return !slices.Contains(slices.Collect(maps.Values(bytes)), nil) && !p.isNextGeneration(merged)
	}
	live := metadata(p.live)
	for key, value := range metadata(merged) {
		was, isThere := live[key]
		if !slices.Contains(schema.ServerSet, key) && (!isThere || !reflect.DeepEqual(value, was)) {
			return false
		}
	}
	return true
}

func isSecret(kind *schema.Kind) bool { return kind.GVK == schema.GVK{Version: "v1", Kind: "Secret"} }

// secretData is where the API server keeps secretTexts of a Secret.
var secretData, secretTexts = fieldpath.MakePathOrDie("data")[0], fieldpath.MakePathOrDie("stringData")[0]

// under returns the fields of a member as those of the object.
func under(member fieldpath.PathElement, fields *fieldpath.Set) *fieldpath.Set {
	all := fieldpath.NewSet()
	*all.Children.Descend(member) = *fields
	return all
}

// asStored returns fields of the package as the API server stores them.
func (p *Prediction) asStored(fields *fieldpath.Set) *fieldpath.Set {
	if !isSecret(p.kind) {
		return fields
	}
	texts := fields.WithPrefix(secretTexts)
	return fields.Difference(under(secretTexts, texts)).Union(under(secretData, texts))
}

// encodeStringData moves the texts of a Secret to its data, as the API server does.
func encodeStringData(secret map[string]any) map[string]any {
	texts, ok := secret["stringData"].(map[string]any)
	if !ok {
		return secret
	}
	secret = maps.Clone(secret)
	delete(secret, "stringData")
	old, _ := secret["data"].(map[string]any)
	data := maps.Clone(old)
	if data == nil {
		data = map[string]any{}
	}
	for key, text := range texts {
		s, _ := text.(string)
		data[key] = base64.StdEncoding.EncodeToString([]byte(s))
	}
	if len(data) > 0 {
		secret["data"] = data
	}
	return secret
}

// A writer copies values as the API server writes them: those of Kubernetes' own kinds, and all
// metadata, without nulls and what Go omits when empty, if the live object has none either.
type writer struct{ isKubernetes bool }

func (w writer) write(value, live any, t *schema.Type) any {
	switch v := value.(type) {
	case map[string]any:
		if t == nil || t.Map == nil {
			t = schema.Any()
		}
		was, _ := live.(map[string]any)
		return w.writeMap(v, was, t.Map)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			if v[i] == nil {
				out[i] = w.writeNull(t.Element(), true)
			} else {
				out[i] = w.write(v[i], nil, t.Element())
			}
		}
		return out
	case nil:
		return w.writeNull(t, false)
	case string, int64, float64:
		if t != nil && t.Name == schema.Quantity {
			return words.CanonicalQuantity(fmt.Sprint(v))
		}
	}
	return value
}

func (w writer) writeMap(value, live map[string]any, m *schema.Map) map[string]any {
	out := make(map[string]any, len(value))
	for key, element := range value {
		field := m.Field(key)
		if field == nil {
			out[key] = w.write(element, live[key], m.Element)
			continue
		}
		inner := w
		if key == "metadata" && isMetadata(field.Type) {
			inner.isKubernetes = true // every object's is a type of Go
		}
		was, there := live[key]
		switch isWritten := field.Required || field.IsWritten; {
		case !w.isKubernetes || !omitted(element, field):
			out[key] = inner.write(element, was, field.Type)
		case isWritten && isNested(element):
			out[key] = nil // as an empty list or map is once it was stored
		case isWritten || there && omitted(was, field):
			out[key] = inner.write(element, was, field.Type)
		}
	}
	return out
}

// writeNull writes a null, which Go has neither for scalars nor for structs in lists.
func (w writer) writeNull(t *schema.Type, isElement bool) any {
	switch {
	case !w.isKubernetes || t == nil:
	case t.Name == schema.Quantity:
		return "0"
	case t.Scalar == schema.String:
		return ""
	case t.Scalar == schema.Number:
		return int64(0)
	case t.Scalar == schema.Boolean:
		return false
	case isElement && t.Map != nil && len(t.Map.Fields) > 0:
		return zero(t)
	}
	return nil
}

// omitted tells whether Go leaves a value out.
func omitted(value any, field *schema.Field) bool {
	t := field.Type
	isRaw := t.Scalar == schema.Untyped && t.Map != nil // JSON that Go keeps as it is
	switch v := value.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0 && !isRaw
	case map[string]any:
		return len(v) == 0 && !isRaw && t.Map != nil && len(t.Map.Fields) == 0
	}
	isScalar := t.Scalar == schema.String || t.Scalar == schema.Boolean || t.Scalar == schema.Number
	return field.OmitsZero && isScalar && reflect.ValueOf(value).IsZero()
}
