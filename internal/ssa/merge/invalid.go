package merge

import (
	"cmp"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
)

// Invalid refuses an apply that changes something where the API server's validation would refuse
// the object that comes out, as far as that is known: required and immutable fields, and what a
// CustomResourceDefinition says of values. The cluster tests hold that to what an API server does.
func (p *Prediction) Invalid() error { return p.refuse(p.faults()) }

// Missing is Invalid of the required fields alone that the package lacks, too, before rules took
// fields out of it.
func (p *Prediction) Missing(whole map[string]any) error {
	return p.refuse(slices.DeleteFunc(p.faults(), func(f fault) bool {
		_, _, isThere := p.values.find(p.kind.Type, pathOf(p.kind, p.Object, f.at), whole)
		return !f.isMissing || isThere
	}))
}

func (p *Prediction) refuse(faults []fault) error {
	if len(faults) == 0 {
		return nil
	}
	texts := firsts(lists.Map(faults, func(f fault) string { return f.text }))
	for _, f := range faults {
		if f.advice != "" && !slices.Contains(texts, f.advice) {
			texts = append(texts, f.advice)
		}
	}
	text := strings.Join(texts, "; ")
	if p.kind.Origin == schema.Kubernetes { // whose faults quote no values
		return &RefusedError{words.Errorf("%s", text)}
	}
	return &RefusedError{errors.New(text)}
}

// A fault is what validation would say of one field, and what to do about it.
type fault struct {
	at           location.Location
	text, advice string
	isMissing    bool
}

func (p *Prediction) faults() []fault {
	if !p.Changed {
		return nil
	}
	v, whole := validator{Prediction: p}, checkedValue{value: p.Object, old: p.details.live, bare: p.bare, t: p.kind.Type}
	if p.kind.Origin != schema.Kubernetes {
		v.nulls(p.bare, p.kind.Type, nil)
	}
	if p.live == nil {
		whole.old, whole.bare = nil, p.details.sent
	}
	for _, key := range slices.Sorted(maps.Keys(p.Object)) {
		if key != "metadata" && key != "status" {
			v.look(whole.member(key))
		}
	}
	v.ofMap(whole)
	v.finalizers()
	return v.found
}

// validator finds what validation would say of an object.
type validator struct {
	*Prediction
	found []fault
	// isFound has the places of those.
	isFound map[string]bool
}

// nulls looks for values that are null, as the merge leaves maps and lists that it empties, where
// the schema of a custom kind has no null.
func (v *validator) nulls(value any, t *schema.Type, at location.Location) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			switch inner := at.With(location.Key(key)); {
			case len(inner) == 1 && (key == "metadata" || key == "status"), isMetadata(t.Member(key)):
			case value[key] == nil && t.RefusesNull(key):
				v.add(inner, `Invalid value: "null": must not be null, as the apply leaves what it empties`, v.kind.Source, "")
			default:
				v.nulls(value[key], t.Member(key), inner)
			}
		}
	case []any:
		for i, element := range value {
			v.nulls(element, t.Element(), at.With(location.Index(i)))
		}
	}
}

// isMetadata tells whether a type is that of the metadata of an object, also of one inside another.
func isMetadata(t *schema.Type) bool { return t != nil && t.Name == "meta.v1.ObjectMeta" }

// A checkedValue is a value of the object that comes out, with what it was on the cluster, and what
// it is before defaults are set.
type checkedValue struct {
	value, old, bare any
	t                *schema.Type
	at               location.Location
}

func (p checkedValue) member(key string) checkedValue {
	of := func(value any) any {
		m, _ := value.(map[string]any)
		return m[key]
	}
	return checkedValue{of(p.value), of(p.old), of(p.bare), p.t.Member(key), p.at.With(location.Key(key))}
}

// look looks at a value and what is in it. One that is as it was on the cluster is valid: the API
// server has accepted it, and in a custom kind it does not look again.
func (v *validator) look(p checkedValue) {
	if p.t == nil || p.value == nil || p.old != nil && reflect.DeepEqual(p.value, p.old) {
		return
	}
	v.limits(p)
	switch value := p.value.(type) {
	case []any:
		v.elements(p, value)
	case map[string]any:
		v.ofMap(p)
		for _, key := range slices.Sorted(maps.Keys(value)) {
			v.look(p.member(key))
		}
	}
}

// elements looks at the elements of a list, each with the one that it was.
func (v *validator) elements(p checkedValue, list []any) {
	old, _ := p.old.([]any)
	bare, _ := p.bare.([]any)
	var indices map[string]int
	if p.t.List != nil && p.t.List.Kind != schema.Atomic {
		indices = Index(old, p.t)
	}
	for i, element := range list {
		inner := checkedValue{value: element, t: p.t.Element(), at: p.at.With(location.Index(i))}
		if i < len(bare) {
			inner.bare = bare[i]
		}
		if from, ok := indices[Name(element, p.t)]; indices != nil && ok {
			inner.old = old[from]
		}
		v.look(inner)
	}
}

// finalizers looks for new ones of an object that is being deleted.
func (v *validator) finalizers() {
	old, _ := metadata(v.Live)["finalizers"].([]any)
	now, _ := metadata(v.Object)["finalizers"].([]any)
	isNew := func(finalizer any) bool { return !slices.Contains(old, finalizer) }
	if metadata(v.Live)["deletionTimestamp"] != nil && slices.ContainsFunc(now, isNew) {
		v.add(location.Location{location.Key("metadata"), location.Key("finalizers")},
			"Forbidden: no new finalizers can be added if the object is being deleted", "Kubernetes "+schema.KubernetesVersion(), "")
	}
}

// limits looks at what a CustomResourceDefinition says of a value, and at quantities.
func (v *validator) limits(p checkedValue) {
	if v.kind.Origin == schema.Kubernetes {
		if text, isText := p.bare.(string); isText && p.t.Name == schema.Quantity && !words.IsQuantity(text) {
			v.add(p.at, "Invalid value: must be a quantity such as 500m or 1Gi", "Kubernetes "+schema.KubernetesVersion(), "")
		}
		return
	}
	if fault := p.t.Limits.Fault(p.value); fault != "" {
		v.add(p.at, fault, v.kind.Source, "")
	}
	if message, ok := p.t.Limits.Immutable(); ok && p.old != nil && !isAlike(p.value, p.old, p.t) {
		v.add(p.at, "Invalid value: "+cmp.Or(message, "failed rule: self == oldSelf"), v.kind.Source, "recreate")
	}
}

// isAlike tells whether values differ at most in the order of lists that are sets or have keys.
func isAlike(a, b any, t *schema.Type) bool {
	return reflect.DeepEqual(inOrder(a, t), inOrder(b, t))
}

// inOrder is a copy of a value with the elements of sets and of lists with keys in the order of
// their names.
func inOrder(value any, t *schema.Type) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, member := range v {
			out[key] = inOrder(member, t.Member(key))
		}
		return out
	case []any:
		out := lists.Map(v, func(element any) any { return inOrder(element, t.Element()) })
		if t != nil && t.List != nil && t.List.Kind != schema.Atomic {
			slices.SortStableFunc(out, func(a, b any) int { return strings.Compare(Name(a, t), Name(b, t)) })
		}
		return out
	}
	return value
}

// ofMap looks at the fields that a map must have, and those that it must keep. A map that Go alone
// writes, since nobody has set anything in it, is not looked at.
func (v *validator) ofMap(p checkedValue) {
	m, _ := p.value.(map[string]any)
	old, _ := p.old.(map[string]any)
	bare, isSet := p.bare.(map[string]any)
	if p.t.Map == nil || !isSet && v.kind.Origin == schema.Kubernetes {
		return
	}
	isOthers := func(field string) bool { return len(p.at) == 0 && (field == "status" || field == "metadata") }
	if v.kind.Origin == schema.Kubernetes {
		for _, breach := range p.t.Breaches(m, old, bare) {
			l := p.at
			for _, key := range breach.Path {
				l = l.With(location.Key(key))
			}
			if !isOthers(breach.Path[0]) {
				v.add(l, breach.Fault, breach.Source, breach.Advice)
			}
		}
		return
	}
	for _, field := range p.t.Map.Fields {
		_, isThere := m[field.Name]
		wasMissing := old != nil && old[field.Name] == nil
		if field.Required && !isThere && !wasMissing && !isOthers(field.Name) {
			v.add(p.at.With(location.Key(field.Name)), schema.MissingValue, v.kind.Source, "")
		}
	}
}

// add adds a fault, with its source and what to do, the first of each place.
func (v *validator) add(at location.Location, what, source string, advice schema.Advice) {
	field := at.String()
	if v.isFound[field] {
		return
	}
	if v.isFound == nil {
		v.isFound = map[string]bool{}
	}
	v.isFound[field] = true
	text := words.Shorten(field+": "+what, maxFault) + " (" + source + ")"
	name, _ := metadata(v.Object)["name"].(string)
	namespace, _ := metadata(v.Object)["namespace"].(string)
	v.found = append(v.found, fault{at, text, advice.Text(v.kind.GVK.Kind, namespace, name), what == schema.MissingValue})
}
