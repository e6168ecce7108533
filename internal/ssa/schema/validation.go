package schema

import (
	_ "embed"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
)

//go:embed validation.txt
var validationFile string

// validations are the rules of validation.txt for one type.
type validations struct {
	required  []requiredField
	forbidden []forbiddenField
	immutable []immutableField
	distinct  [][]string // maps that have no key in common
}

// A forbiddenField is a field that must not be set where conditions, of this text, hold.
type forbiddenField struct {
	path       []string
	conditions []condition
	text       string
}

func (f forbiddenField) isBroken(m map[string]any) bool {
	return valueAt(m, f.path) != nil && holds(f.conditions, m)
}

// A requiredField is a field that validation requires in the maps of a type where conditions hold.
type requiredField struct {
	of   string
	path []string
	// none is a value that counts as none, nil for no such.
	none       any
	conditions []condition
	// mayLack tells that the field may be left out.
	mayLack bool
}

// An immutableField is a field that keeps its value where conditions hold before a change, and
// others after it.
type immutableField struct {
	path          []string
	except        [][]string
	before, after []condition
	advice        Advice
}

// validationRules are those of validation.txt by the names of types.
var validationRules = sync.OnceValue(func() map[string]*validations {
	all := map[string]*validations{}
	var advice Advice
	eachRule(validationFile, func(types []string, text string) {
		text, condition, _ := strings.Cut(text, " if ")
		conditions := parseConditions(condition)
		word, text, _ := strings.Cut(text, " ")
		for _, name := range types {
			if all[name] == nil {
				all[name] = &validations{}
			}
		}
		switch word {
		case "then":
			advice = Advice(text)
		case "required", "filled":
			text, none, isNone := strings.Cut(text, " != ")
			for field := range strings.FieldsSeq(text) {
				for _, name := range types {
					r := requiredField{of: name, path: strings.Split(field, "."), conditions: conditions, mayLack: word == "filled"}
					if isNone {
						r.none = strings.Trim(none, `"`)
					}
					all[name].required = append(all[name].required, r)
				}
			}
		case "forbidden":
			for _, name := range types {
				all[name].forbidden = append(all[name].forbidden, forbiddenField{strings.Split(text, "."), conditions, condition})
			}
		case "distinct":
			for _, name := range types {
				all[name].distinct = append(all[name].distinct, strings.Fields(text))
			}
		case "immutable":
			text, once, _ := strings.Cut(text, " once ")
			text, except, _ := strings.Cut(text, " except ")
			var excepted [][]string
			for field := range strings.FieldsSeq(except) {
				excepted = append(excepted, strings.Split(field, "."))
			}
			for field := range strings.FieldsSeq(text) {
				for _, name := range types {
					all[name].immutable = append(all[name].immutable, immutableField{
						strings.Split(field, "."), excepted, append(parseConditions(once), conditions...), conditions, advice,
					})
				}
			}
		default:
			panic(fmt.Sprintf("validation.txt: %q", word))
		}
	})
	return all
})

// requiredFields are those without conditions, by their last names.
var requiredFields = sync.OnceValue(func() map[string][]requiredField {
	all := map[string][]requiredField{}
	for _, rules := range validationRules() {
		for _, field := range rules.required {
			if last := field.path[len(field.path)-1]; len(field.conditions) == 0 && !field.mayLack {
				all[last] = append(all[last], field)
			}
		}
	}
	return all
})

// page is the address of the validation of a type.
func page(of string) string {
	if strings.HasPrefix(of, "io.k8s.apiextensions-apiserver.") {
		return fmt.Sprintf("https://github.com/kubernetes/apiextensions-apiserver/blob/kubernetes-%s/pkg/apis/apiextensions/validation/validation.go",
			strings.TrimPrefix(KubernetesVersion(), "v"))
	}
	group, _, _ := strings.Cut(of, ".")
	return fmt.Sprintf("https://github.com/kubernetes/kubernetes/blob/%s/pkg/apis/%s/validation/validation.go", KubernetesVersion(), group)
}

// A Breach is a field at which an object is not as validation wants it.
type Breach struct {
	// Path is where it is, from the map that is checked.
	Path []string
	// Fault says what is wrong, in the words of the API server, and Source where that is said.
	Fault, Source string
	// Advice is what to do about a changed value, "" for nothing.
	Advice Advice
}

// MissingValue is the fault of a field that is required.
const MissingValue = "Required value"

// Breaches returns what is wrong with a map of a type of Kubernetes, except what is in its
// members. Old is the map before a change, nil where there is none: what it lacked, the API server
// does not require. Bare is the map before defaults are set.
func (t *Type) Breaches(m, old, bare map[string]any) (all []Breach) {
	for i := range t.Map.Fields {
		field := &t.Map.Fields[i]
		isNeeded := field.Required && !t.isOptional(field.Name)
		if isNeeded && field.lacks(m, bare) && (old == nil || !field.lacks(old, old)) {
			all = append(all, Breach{Path: []string{field.Name}, Fault: MissingValue, Source: "Kubernetes " + KubernetesVersion()})
		}
	}
	rules := validationRules()[t.Name]
	if rules == nil {
		return all
	}
	for _, field := range rules.required {
		if field.isBroken(m, bare) && (old == nil || !field.isBroken(old, old)) {
			all = append(all, Breach{Path: field.path, Fault: MissingValue, Source: page(t.Name)})
		}
	}
	for _, field := range rules.forbidden {
		if field.isBroken(m) && !field.isBroken(old) {
			all = append(all, Breach{Path: field.path, Fault: "Forbidden: may not be set with " + field.text, Source: page(t.Name)})
		}
	}
	for _, fields := range rules.distinct {
		for _, key := range inBoth(m, fields) {
			if !slices.Contains(inBoth(old, fields), key) {
				all = append(all, Breach{Path: []string{fields[0], key}, Fault: "Invalid value: must not be in " + fields[1] + ", too", Source: page(t.Name)})
			}
		}
	}
	for _, field := range rules.immutable {
		if old == nil || !holds(field.before, old) || !holds(field.after, m) {
			continue
		}
		was, is := cut(valueAt(old, field.path), field.except), cut(valueAt(m, field.path), field.except)
		if !reflect.DeepEqual(was, is) && (!isNothing(was) || !isNothing(is)) {
			all = append(all, Breach{Path: field.path, Fault: "Invalid value: field is immutable", Source: page(t.Name), Advice: field.advice})
		}
	}
	return all
}

// inBoth returns the keys that two maps in a map have in common.
func inBoth(m map[string]any, fields []string) []string {
	first, _ := m[fields[0]].(map[string]any)
	second, _ := m[fields[1]].(map[string]any)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(first)), func(key string) bool {
		_, isThere := second[key]
		return !isThere
	})
}

// IsImmutable tells whether each update of an object must leave a field as it is.
func (k *Kind) IsImmutable(field location.Location) bool {
	rules := validationRules()[k.Type.Name]
	keys := lists.Map(field, func(step location.Step) string { return step.Key })
	return rules != nil && slices.ContainsFunc(rules.immutable, func(f immutableField) bool {
		return len(f.before) == 0 && slices.Equal(f.path, keys)
	})
}

// isBroken tells whether a map must have the field, and lacks it, be it before defaults are set.
func (r requiredField) isBroken(m, bare map[string]any) bool {
	parent, hasParent := valueAt(bare, r.path[:len(r.path)-1]).(map[string]any)
	value := parent[r.path[len(r.path)-1]]
	return hasParent && (value != nil || !r.mayLack) && holds(r.conditions, m) && (isNothing(value) || r.none != nil && value == r.none)
}

// lacks tells whether a map lacks the field, which is required. Go writes a number that is not
// there as 0, a truth value as false, which may as well be meant, and a struct with what is in it.
func (f *Field) lacks(m, bare map[string]any) bool {
	switch {
	case f.isStruct():
		isWritten := func(inner Field) bool { return inner.IsWritten || inner.Default != nil }
		return bare[f.Name] == nil && !slices.ContainsFunc(f.Type.Map.Fields, isWritten)
	case f.Type.Scalar == Boolean:
		return false
	}
	return isUnset(m[f.Name]) || m[f.Name] == int64(0)
}

func isEmptyMap(value any) bool {
	m, ok := value.(map[string]any)
	return ok && len(m) == 0
}

func isNothing(value any) bool { return isUnset(value) || isEmptyMap(value) }

// cut is a copy of a value without fields in it. A step that ends in "[]" goes through all elements
// of a list.
func cut(value any, fields [][]string) any {
	for _, path := range fields {
		value = cutOne(value, path)
	}
	return value
}

func cutOne(value any, path []string) any {
	m, ok := value.(map[string]any)
	name, isList := strings.CutSuffix(path[0], "[]")
	if _, isThere := m[name]; !ok || !isThere {
		return value
	}
	m = maps.Clone(m)
	list, _ := m[name].([]any)
	switch {
	case len(path) == 1:
		delete(m, name)
	case isList:
		list = slices.Clone(list)
		for i := range list {
			list[i] = cutOne(list[i], path[1:])
		}
		m[name] = list
	default:
		m[name] = cutOne(m[name], path[1:])
	}
	return m
}

// isOptional tells whether validation does not require what the schema does.
func (t *Type) isOptional(field string) bool {
	return slices.Contains(optional, [2]string{t.Name, field})
}

// An Advice names what to do where a field can't be changed.
type Advice string

// advices are the texts, with %[1]s for the kind and name as kubectl takes them.
var advices = map[Advice]string{
	"orphan":   "kubectl delete %[1]s --cascade=orphan, and apply again: the pods go on, where kubectl replace --force would delete them",
	"recreate": "kubectl delete %[1]s, and apply again",
	"rerun":    "kubectl delete %[1]s, which ends its pods, and apply again; or give the new one another name",
	"rename":   "give the new one another name; or kubectl delete %[1]s, and apply again",
	"keep":     "give the new one another name, and copy the data, which kubectl delete or replace --force may lose",
}

// AdviceOn returns what to do where a field of one of Kubernetes' own kinds can't be changed: the
// advice on another field of the kind if the field has none, and "" if the kind has none.
func AdviceOn(kind string, field []string) Advice {
	var other Advice
	for _, name := range slices.Sorted(maps.Keys(validationRules())) {
		if name[strings.LastIndex(name, ".")+1:] != kind {
			continue
		}
		for _, f := range validationRules()[name].immutable {
			common := min(len(f.path), len(field))
			switch {
			case slices.Equal(f.path[:common], field[:common]):
				return f.advice
			case other == "":
				other = f.advice
			}
		}
	}
	return other
}

// Text is the advice for an object, "" for none.
func (a Advice) Text(kind, namespace, name string) string {
	object := strings.ToLower(kind) + " " + name
	if namespace != "" {
		object += " --namespace " + namespace
	}
	if text := advices[a]; strings.Contains(text, "%") {
		return fmt.Sprintf(text, object)
	}
	return advices[a]
}
