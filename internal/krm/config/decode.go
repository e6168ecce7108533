// Package config decodes functionConfigs strictly: from YAML nodes into Go structs, with every
// fault found in one go.
//
// # Struct tags
//
// The fields of a config struct say all that decoding and a JSON Schema need, in
// these tags:
//
//	json:"name"       the name of the field; fields without it are not decoded
//	doc:"…"           what the field means, in a sentence or more
//	enum:"A,B"        the strings that it may hold; for a list, its elements (see Names, too)
//	default:"A"       the value of a field that is missing or null
//	required:"true"   the field must be there and not null
//	orOne:"true"      the list may be written as its one element, a map; or, if maps have lists of
//	                  expressions, as one expression
//	orBool:"emit"     the map may be written as the boolean of that field of it
//
// Types that can be decoded are string, bool, structs, slices, maps with string keys, pointers to
// these, any (as tree.Value gives it), *tree.Node (the data as written, null included) and types
// that implement encoding.TextUnmarshaler on their pointer, such as Duration and Memory. The fields
// of embedded structs without a tag are fields of the outer struct, and so are the entries of an
// embedded FieldMap. A missing pointer, slice or map stays nil; the defaults within a missing
// struct are filled in.
//
// # Scalars
//
// A string must be written as a string and a boolean as true or false: the number in `version: 1`
// and the string in `emit: "true"` are faults that name the fix.
package config

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Header has the fields that every functionConfig begins with. Metadata is not checked: hosts and
// users put any field of ObjectMeta there.
type Header struct {
	APIVersion string         `json:"apiVersion" required:"true" doc:"Version of the configuration's schema."`
	Kind       string         `json:"kind" required:"true" doc:"Kind of the configuration."`
	Metadata   map[string]any `json:"metadata" doc:"Standard object metadata: name, namespace, labels, annotations."`
	Results    Results        `json:"results" doc:"How the results are written."`
}

// Decode decodes the map n, found at path ("" for the root), into the struct that into points to.
// It returns all faults in the order of the text, those of missing fields after the others of their
// map. Fields without a fault are set in any case. A null n is an empty map; of a nil n only the
// defaults are set.
//
// Decode checks shapes, not meanings: whether a jq expression compiles, for one, is up to the
// caller. It does not look for keys that are there twice, which tree.Parse refuses.
func Decode(n *tree.Node, path string, into any) []report.Fault {
	return new(Decoder).Decode(n, path, into)
}

// A Decoder decodes any number of maps, and keeps what it finds out about their Go types. Its zero
// value is ready.
type Decoder struct {
	fields map[reflect.Type][]Member
}

// Decode is the function Decode.
func (d *Decoder) Decode(n *tree.Node, path string, into any) []report.Fault {
	return d.decode(n, path, into, false)
}

// fieldsOf returns the fields of a struct type.
func (d *Decoder) fieldsOf(t reflect.Type) []Member {
	fields, ok := d.fields[t]
	if !ok {
		if d.fields == nil {
			d.fields = map[reflect.Type][]Member{}
		}
		fields = Fields(t)
		d.fields[t] = fields
	}
	return fields
}

// DecodeText is Decode for maps whose values are all text, as in the data of a ConfigMap: any
// scalar counts as its text, a boolean is "true" or "false", and a list is one element a line,
// without blank lines and the blanks around lines, and so is a map of strings, each element of
// which is key=value.
func DecodeText(n *tree.Node, path string, into any) []report.Fault {
	return new(Decoder).decode(n, path, into, true)
}

func (d *Decoder) decode(n *tree.Node, path string, into any, fromText bool) []report.Fault {
	v := reflect.ValueOf(into).Elem()
	one := decoder{Decoder: d, fromText: fromText}
	switch {
	case n == nil:
		one.setDefaults(path, v)
	case tree.Type(n) == tree.Null:
		one.structure(&tree.Node{Kind: tree.MappingNode}, path, v)
	default:
		one.value(n, path, v, nil)
	}
	return one.faults
}

// A decoder decodes one map.
type decoder struct {
	*Decoder
	faults []report.Fault
	// fromText is true for the data of a ConfigMap, see DecodeText.
	fromText bool
	// misspelt are the rules so far whose unknown keys mean fields.
	misspelt map[*tree.Node]misspelt
}

func (d *decoder) fault(path, format string, args ...any) {
	d.faults = append(d.faults, report.Fault{Path: path, Message: fmt.Sprintf(format, args...)})
}

var nodeType = reflect.TypeFor[*tree.Node]()

func (d *decoder) value(n *tree.Node, path string, v reflect.Value, enum []string) {
	n = tree.Deref(n)
	if v.Type() == nodeType {
		v.Set(reflect.ValueOf(n))
		return
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		d.text(n, path, u)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, path, v.Elem(), enum)
	case reflect.Struct:
		d.structure(n, path, v)
	case reflect.Slice:
		d.list(n, path, v, enum)
	case reflect.Map:
		d.dictionary(n, path, v, enum)
	case reflect.String:
		d.string(n, path, v, enum)
	case reflect.Bool:
		d.boolean(n, path, v)
	case reflect.Interface:
		if data := tree.Value(n); data != nil {
			v.Set(reflect.ValueOf(data))
		}
	default:
		d.fault(path, "can't be decoded into the Go type %s", v.Type())
	}
}

func (d *decoder) structure(n *tree.Node, path string, v reflect.Value) {
	if !tree.IsMap(n) {
		d.noteString(n, v.Type())
		d.mustBe(n, path, v.Type())
		return
	}
	fields := d.fieldsOf(v.Type())
	given := map[string]bool{}
	isReported := false
	for key, value := range tree.Entries(n) {
		field, known := findField(fields, key)
		if !known {
			if isReported = isReported || d.misspeltRule(n, path, v.Type()); !isReported {
				d.unknownField(v.Type(), path, key, value)
			}
			continue
		}
		if tree.Type(value) == tree.Null && field.Type != nodeType {
			continue
		}
		given[key] = true
		field.in(v, func(v reflect.Value) {
			switch {
			case field.OrBool == "" || tree.IsMap(value):
			case tree.Type(value) == tree.Boolean:
				value = tree.NewMap(field.OrBool, value)
			default:
				d.fault(Child(path, key), "must be a map, true or false, found %s%s", Found(value), fix(value, path, reflect.TypeFor[bool]()))
				return
			}
			if field.OrOne && (tree.IsMap(value) || tree.Type(value) == tree.String) {
				v.Set(reflect.MakeSlice(v.Type(), 1, 1))
				v = v.Index(0)
				if rule := oneExpression(v.Type(), value); rule != nil {
					value = rule
				}
			}
			d.value(value, Child(path, key), v, field.Enum)
		})
	}
	for _, field := range fields {
		switch {
		case given[field.Name]:
		case field.Required:
			d.fault(Child(path, field.Name), "must be set, found nothing")
		default:
			field.in(v, func(v reflect.Value) { d.setDefault(Child(path, field.Name), field, v) })
		}
	}
}

// setDefault sets the default of a missing field, and those of the fields of a missing struct.
func (d *decoder) setDefault(path string, field Member, v reflect.Value) {
	if field.Default != "" {
		text := tree.NewScalar(tree.StringTag, field.Default)
		asText := decoder{Decoder: d.Decoder, fromText: true}
		asText.value(text, path, v, field.Enum)
		d.faults = append(d.faults, asText.faults...)
		return
	}
	if v.Kind() == reflect.Struct {
		d.setDefaults(path, v)
	}
}

func (d *decoder) setDefaults(path string, v reflect.Value) {
	for _, field := range d.fieldsOf(v.Type()) {
		field.in(v, func(v reflect.Value) { d.setDefault(Child(path, field.Name), field, v) })
	}
}

func (d *decoder) list(n *tree.Node, path string, v reflect.Value, enum []string) {
	if d.fromText && !isScalar(n) || !d.fromText && !tree.IsList(n) {
		d.mustBe(n, path, v.Type())
		return
	}
	elements := tree.Elements(n)
	if d.fromText {
		elements = lines(n.Text())
	}
	v.Set(reflect.MakeSlice(v.Type(), len(elements), len(elements)))
	faults := len(d.faults)
	for i, element := range elements {
		d.value(element, Element(path, i), v.Index(i), enum)
	}
	if len(d.misspelt) > 1 {
		d.joinMisspelt(elements, path, faults)
	}
}

// lines returns a node for each line of text that is not blank.
func lines(text string) []*tree.Node {
	var nodes []*tree.Node
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			nodes = append(nodes, tree.NewScalar(tree.StringTag, line))
		}
	}
	return nodes
}

func (d *decoder) dictionary(n *tree.Node, path string, v reflect.Value, enum []string) {
	if d.fromText && isScalar(n) {
		n = d.pairs(n, path)
	}
	if !tree.IsMap(n) || v.Type().Key().Kind() != reflect.String {
		d.mustBe(n, path, v.Type())
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for key, value := range tree.Entries(n) {
		element := reflect.New(v.Type().Elem()).Elem()
		d.value(value, Child(path, key), element, enum)
		v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), element)
	}
}

// pairPattern matches the comma before a pair such as app=web. Another comma is part of a value.
var pairPattern = words.Pattern(`,\s*([\w./-]+\s*=)`)

// pairs parses a text with one key=value per line, or with commas between them, to a map.
func (d *decoder) pairs(n *tree.Node, path string) *tree.Node {
	pairs := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag}
	for _, line := range lines(pairPattern().ReplaceAllString(n.Text(), "\n$1")) {
		key, value, ok := strings.Cut(line.Text(), "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			d.fault(path, "must be text such as a=b,c=d, or with one key=value per line, found %s", Found(line))
			continue
		}
		if tree.Lookup(pairs, key) != nil {
			d.fault(path, "must have each key once, found %s again", Quote(key))
			continue
		}
		pairs.Content = append(pairs.Content, tree.NewString(key), tree.NewString(strings.TrimSpace(value)))
	}
	return pairs
}

func (d *decoder) string(n *tree.Node, path string, v reflect.Value, enum []string) {
	isText := tree.Type(n) == tree.String || d.fromText && isScalar(n)
	switch {
	case isText && (len(enum) == 0 || slices.Contains(enum, n.Text())):
		v.SetString(n.Text())
	case len(enum) > 0:
		hint := words.DidYouMean(n.Text(), enum)
		if names, ok := v.Interface().(Instead); ok && names.Instead(n.Text()) != "" {
			hint = "; " + names.Instead(n.Text())
		}
		d.fault(path, "must be %s, found %s%s", words.List(enum), Found(n), hint)
	default:
		d.mustBe(n, path, v.Type())
	}
}

func (d *decoder) boolean(n *tree.Node, path string, v reflect.Value) {
	if value, ok := tree.Scalar(n).(bool); ok && isScalar(n) {
		v.SetBool(value)
		return
	}
	if d.fromText && isScalar(n) && (n.Text() == "true" || n.Text() == "false") {
		v.SetBool(n.Text() == "true")
		return
	}
	d.mustBe(n, path, v.Type())
}

func (d *decoder) text(n *tree.Node, path string, u encoding.TextUnmarshaler) {
	if !isScalar(n) {
		d.mustBe(n, path, reflect.TypeFor[string]())
		return
	}
	if err := u.UnmarshalText([]byte(n.Text())); err != nil {
		d.fault(path, "%s", err.Error())
	}
}

func isScalar(n *tree.Node) bool {
	return n.Kind == tree.ScalarNode
}

// Element returns the path of an element of the list at path.
func Element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Child returns the path of the field key of the map at path.
func Child(path, key string) string {
	step := location.Location{location.Key(key)}.String()
	if path == "" || strings.HasPrefix(step, "[") {
		return path + step
	}
	return path + "." + step
}
