package schema

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
)

//go:embed defaults.txt
var defaultsFile string

// Fill sets what the API server sets in an object of the kind: the defaults of its schema, and
// those of Kubernetes' own code. Whole numbers are int64. The object is changed.
func (k *Kind) Fill(object map[string]any) { k.FillAt(object, nil) }

// FillAt is Fill for an object that was filled and has changed at a place since: it goes only
// through what is around the place, and in it.
func (k *Kind) FillAt(object map[string]any, place location.Location) {
	f := filler{isKubernetes: k.Origin == Kubernetes}
	f.fillMap(object, k.Type, place)
}

// FillIn is Fill for a value of a type that is in an object of the kind.
func (k *Kind) FillIn(value any, t *Type) {
	filler{isKubernetes: k.Origin == Kubernetes}.fill(value, t, nil)
}

type filler struct{ isKubernetes bool }

func (f filler) fill(value any, t *Type, place location.Location) {
	if t == nil || t.free() {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		f.fillMap(v, t, place)
	case []any:
		if len(place) > 0 {
			v, place = elementAt(v, place[0]), place[1:]
		}
		for _, element := range v {
			f.fill(element, t.Element(), place)
		}
	}
}

// elementAt returns the element of a list behind a step, as a list.
func elementAt(list []any, step location.Step) []any {
	return list[min(step.Index, len(list)):min(step.Index+1, len(list))]
}

func (f filler) fillMap(m map[string]any, t *Type, place location.Location) {
	if t.Map == nil {
		return
	}
	inner := place[min(1, len(place)):]
	if f.isKubernetes {
		for _, r := range defaultRules()[t.Name] {
			r.apply(m, place)
		}
	}
	for i := range t.Map.Fields {
		field := &t.Map.Fields[i]
		value, isThere := m[field.Name]
		byDefault := field.DefaultIn(t, f.isKubernetes)
		switch {
		case byDefault != nil && (!isThere || !f.isKubernetes && value == nil && field.Type.dropsNull()):
			value = Numbers(byDefault)
			m[field.Name] = value
		case !isThere && f.isKubernetes && field.IsWritten:
			m[field.Name] = nil // a pointer, list or map of Go
		}
		if value != nil && (len(place) == 0 || place[0].Key == field.Name) {
			f.fill(value, field.Type, inner)
		}
	}
	if element := t.Map.Element; element != nil && !element.free() {
		members := m
		if len(place) > 0 {
			members = map[string]any{place[0].Key: m[place[0].Key]}
		}
		for key, value := range members {
			if t.Map.Field(key) == nil {
				f.fill(value, element, inner)
			}
		}
	}
}

// Numbers is a copy of a value with the types that the merge knows: whole numbers are int64.
func Numbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, element := range v {
			out[key] = Numbers(element)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = Numbers(v[i])
		}
		return out
	case int:
		return int64(v)
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	}
	return value
}

// A defaultsLine is a line of defaults.txt.
type defaultsLine struct {
	// list is the list in whose elements the field is; nil for none.
	list  []string
	field []string
	// from is the field whose value is taken; nil for that of value.
	from  []string
	value any
	// removes tells that the field is removed, and onlyMembers that it is not made.
	removes, onlyMembers bool
	conditions           []condition
}

type condition struct {
	field  []string
	values []string // texts of JSON; nil where the field must be set
	not    bool
	// latest is the condition on the tag of an image, which is latest without tag and digest, and
	// alone that on a map without other fields.
	latest, alone bool
}

// apply carries out the rule in a map of its type, in the element alone that a place leads to.
func (r *defaultsLine) apply(m map[string]any, place location.Location) {
	if holds(r.conditions, m) {
		if r.list == nil {
			r.set(m)
			return
		}
		elements, _ := valueAt(m, r.list).([]any)
		isKey := func(step location.Step, key string) bool { return step == location.Key(key) }
		if n := len(r.list); len(place) > n && slices.EqualFunc(place[:n], r.list, isKey) {
			elements = elementAt(elements, place[n])
		}
		for _, element := range elements {
			if inner, ok := element.(map[string]any); ok {
				r.set(inner)
			}
		}
	}
}

func (r *defaultsLine) set(m map[string]any) {
	value := r.value
	if r.from != nil {
		if value = valueAt(m, r.from); isUnset(value) {
			return
		}
	}
	for _, key := range r.field[:len(r.field)-1] {
		inner, ok := m[key].(map[string]any)
		if !ok {
			if r.removes || r.onlyMembers {
				return
			}
			inner = map[string]any{}
			m[key] = inner
		}
		m = inner
	}
	last := r.field[len(r.field)-1]
	switch old := m[last]; {
	case r.removes:
		delete(m, last)
	case !isUnset(old) && (r.from == nil || old != int64(0)): // a port of 0 is as none
		addMembers(old, value)
	case !r.onlyMembers:
		m[last] = Numbers(value)
	}
}

// addMembers adds the members that a map lacks.
func addMembers(value, members any) {
	m, _ := value.(map[string]any)
	added, _ := members.(map[string]any)
	for key, member := range added {
		if _, ok := m[key]; !ok && m != nil {
			m[key] = Numbers(member)
		} else {
			addMembers(m[key], member)
		}
	}
}

func valueAt(m map[string]any, path []string) any {
	var value any = m
	for _, key := range path {
		inner, _ := value.(map[string]any)
		value = inner[key]
	}
	return value
}

// isUnset tells whether a value is as one that is not there. An empty map is one that is there.
func isUnset(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	}
	return false
}

func (c condition) holds(m map[string]any) bool {
	value := valueAt(m, c.field)
	switch {
	case c.alone:
		return len(m) == 1
	case c.latest:
		image, _ := value.(string)
		name, _, hasDigest := strings.Cut(image, "@")
		_, tag, hasTag := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ":")
		return tag == "latest" || !hasTag && !hasDigest
	case c.values == nil:
		return isUnset(value) == c.not
	}
	text, err := json.Marshal(value)
	return err == nil && slices.Contains(c.values, string(text)) != c.not
}

// defaultRules are the rules of defaults.txt by the names of types.
var defaultRules = sync.OnceValue(func() map[string][]*defaultsLine {
	all := map[string][]*defaultsLine{}
	eachRule(defaultsFile, func(types []string, text string) {
		r := parseRule(text)
		for _, name := range types {
			all[name] = append(all[name], r)
		}
	})
	return all
})

// eachRule goes through the rules of a file: lines that are indented, below a line with the names
// of their types.
func eachRule(file string, do func(types []string, text string)) {
	var types []string
	for line := range strings.SplitSeq(file, "\n") {
		text, isRule := strings.CutPrefix(line, "  ")
		switch {
		case text == "" || strings.HasPrefix(text, "#"):
		case isRule:
			do(types, text)
		default:
			types = strings.Fields(text)
		}
	}
}

// parseRule parses FIELD = VALUE or FIELD += VALUE, and the conditions. The file is a part of the
// program.
func parseRule(text string) *defaultsLine {
	text, conditions, _ := strings.Cut(text, " if ")
	field, value, isSet := strings.Cut(text, " = ")
	r := &defaultsLine{removes: value == "nothing", onlyMembers: !isSet, conditions: parseConditions(conditions)}
	if !isSet {
		field, value, _ = strings.Cut(text, " += ")
	}
	from, isReference := strings.CutPrefix(value, "$")
	if list, inner, ok := strings.Cut(field, "[]."); ok {
		r.list, field, from = splitPath(list), inner, strings.TrimPrefix(from, list+"[].")
	}
	r.field = splitPath(field)
	if isReference {
		r.from = splitPath(from)
	} else if !r.removes {
		if err := json.Unmarshal([]byte(value), &r.value); err != nil {
			panic(fmt.Sprintf("defaults.txt: %q: %v", text, err))
		}
	}
	return r
}

// parseConditions parses what is behind "if". A value has no spaces.
func parseConditions(text string) (all []condition) {
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		c := condition{latest: words[i] == "latest", alone: words[i] == "alone"}
		if c.latest || c.alone {
			i++
		}
		field, not := strings.CutPrefix(words[i], "!")
		c.field, c.not = splitPath(field), not
		if i+2 < len(words) && (words[i+1] == "=" || words[i+1] == "!=") {
			c.not, c.values = words[i+1] == "!=", strings.Split(words[i+2], "|")
			i += 2
		}
		all = append(all, c)
	}
	return all
}

// holds tells whether all conditions hold in a map.
func holds(all []condition, m map[string]any) bool {
	return !slices.ContainsFunc(all, func(c condition) bool { return !c.holds(m) })
}

// splitPath splits at dots without a backslash.
func splitPath(path string) []string {
	const dot = "\x00"
	return lists.Map(strings.Split(strings.ReplaceAll(path, `\.`, dot), "."), func(part string) string { return strings.ReplaceAll(part, dot, ".") })
}
