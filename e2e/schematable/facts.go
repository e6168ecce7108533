package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// A file in the folder facts says what a CustomResourceDefinition says of the types of fields, in
// lines such as
//
//	source https://example.com/crd.yaml
//	kind example.com/v1,v1beta1 Example
//	spec! {
//	  replicas number
//	  ports [name,protocol]{
//	    name! string
//	    protocol string = "TCP"
//	  }
//	  tags [set]string
//	  hosts []string
//	  limits { = {"size":1}
//	    size number
//	  }
//	  labels {*}string
//	  selector atomic{
//	    ...
//	  }
//	  template core.v1.PodTemplateSpec
//	}
//
// "!" marks what is required, "[…]" a list, atomic where nothing else is said, "{*}" a map with
// values of one type, "..." that there may be other fields, "any" a value of any type, and a name a
// type of Kubernetes.

// readFacts returns the kinds of all files of the folder.
func readFacts(folder string, table *schema.Table) ([]schema.TableKind, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the folder %s must have files *.txt", folder)
	}
	known := named(table)
	var all []schema.TableKind
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		p := &parser{known: known}
		for i, line := range strings.Split(string(text), "\n") {
			line = strings.TrimSpace(line)
			if line != "" && line[0] != '#' {
				p.lines = append(p.lines, factLine{line, i + 1})
			}
		}
		kinds, err := p.kinds(table.Metadata)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, kinds...)
	}
	return all, nil
}

// named returns the types of Kubernetes by their names.
func named(table *schema.Table) map[string]*schema.Type {
	all := map[string]*schema.Type{}
	var visit func(t *schema.Type)
	visit = func(t *schema.Type) {
		if t == nil || t == schema.Any() || t == schema.AtomicAny() || t.Name != "" && all[t.Name] != nil {
			return
		}
		if t.Name != "" {
			all[t.Name] = t
		}
		if t.Map != nil {
			visit(t.Map.Element)
			for _, field := range t.Map.Fields {
				visit(field.Type)
			}
		}
		if t.List != nil {
			visit(t.List.Element)
		}
	}
	for _, kind := range table.Kinds {
		visit(kind.Type)
	}
	return all
}

type factLine struct {
	text   string
	number int
}

type parser struct {
	known map[string]*schema.Type
	lines []factLine
}

func (p *parser) next() (string, error) {
	if len(p.lines) == 0 {
		return "", errors.New("the last line must be a \"}\"")
	}
	line := p.lines[0].text
	p.lines = p.lines[1:]
	return line, nil
}

func (p *parser) kinds(metadata *schema.Type) ([]schema.TableKind, error) {
	var all []schema.TableKind
	for len(p.lines) > 0 {
		source, ok := strings.CutPrefix(p.lines[0].text, "source ")
		if !ok || len(p.lines) < 3 {
			return nil, fmt.Errorf("line %d: must be \"source URL\", with a kind and its fields below", p.lines[0].number)
		}
		apiVersion, kind, ok := strings.Cut(strings.TrimPrefix(p.lines[1].text, "kind "), " ")
		group, versions, slash := strings.Cut(apiVersion, "/")
		if !ok || !slash {
			return nil, fmt.Errorf("line %d: must be \"kind GROUP/VERSION,VERSION KIND\"", p.lines[1].number)
		}
		p.lines = p.lines[2:]
		var end int
		for end = range p.lines {
			if strings.HasPrefix(p.lines[end].text, "source ") {
				break
			}
			if end == len(p.lines)-1 {
				end++
				break
			}
		}
		one := &parser{known: p.known, lines: append(slices.Clone(p.lines[:end]), factLine{"}", 0})}
		p.lines = p.lines[end:]
		number := one.lines[0].number
		m, err := one.fields()
		if err != nil {
			return nil, fmt.Errorf("the kind whose fields begin at line %d: %w", number, err)
		}
		text := &schema.Type{Scalar: schema.String}
		m.Fields = append(m.Fields, schema.Field{Name: "apiVersion", Type: text}, schema.Field{Name: "kind", Type: text},
			schema.Field{Name: "metadata", Type: metadata})
		sortFields(m)
		for _, version := range strings.Split(versions, ",") {
			all = append(all, schema.TableKind{GVK: schema.GVK{Group: group, Version: version, Kind: kind},
				Type: &schema.Type{Map: m}, Source: source})
		}
	}
	return all, nil
}

func sortFields(m *schema.Map) {
	slices.SortFunc(m.Fields, func(a, b schema.Field) int { return cmp.Compare(a.Name, b.Name) })
}

// fields parses the lines up to the "}" that closes a map.
func (p *parser) fields() (*schema.Map, error) {
	m := &schema.Map{}
	for {
		line, err := p.next()
		if err != nil {
			return nil, err
		}
		switch line {
		case "}":
			sortFields(m)
			return m, nil
		case "...":
			m.Element = schema.Any()
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		field := schema.Field{Name: strings.TrimSuffix(name, "!"), Required: strings.HasSuffix(name, "!")}
		rest, value, ok := strings.Cut(rest, " = ")
		if ok {
			if err := json.Unmarshal([]byte(value), &field.Default); err != nil {
				return nil, fmt.Errorf("%q: the default must be JSON: %w", line, err)
			}
		}
		if field.Type, err = p.typeOf(rest); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		m.Fields = append(m.Fields, field)
	}
}

func (p *parser) typeOf(text string) (*schema.Type, error) {
	if rest, ok := strings.CutPrefix(text, "["); ok {
		keys, rest, ok := strings.Cut(rest, "]")
		if !ok {
			return nil, errors.New("a \"[\" must have its \"]\"")
		}
		element, err := p.typeOf(rest)
		list := &schema.List{Element: element}
		switch keys {
		case "":
		case "set":
			list.Kind = schema.SetOf
		default:
			list.Kind, list.Keys = schema.MapOf, strings.Split(keys, ",")
		}
		return &schema.Type{List: list}, err
	}
	if rest, ok := strings.CutPrefix(text, "{*}"); ok {
		element, err := p.typeOf(rest)
		return &schema.Type{Map: &schema.Map{Element: element}}, err
	}
	switch text {
	case "{", "atomic{":
		m, err := p.fields()
		if err == nil {
			m.Atomic = text == "atomic{"
		}
		return &schema.Type{Map: m}, err
	case "string", "number", "boolean", "untyped":
		return &schema.Type{Scalar: scalars[text]}, nil
	case "any":
		return schema.Any(), nil
	}
	if t := p.known[text]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("%q must be a type", text)
}

var scalars = map[string]schema.Scalar{"string": schema.String, "number": schema.Number, "boolean": schema.Boolean,
	"untyped": schema.Untyped}

// printFacts prints the facts of a CustomResourceDefinition.
func printFacts(file, version string) error {
	table, err := kubernetes()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var crd struct {
		Spec struct {
			Group    string
			Names    struct{ Kind string }
			Versions []struct {
				Name   string
				Schema struct {
					OpenAPIV3Schema map[string]any `yaml:"openAPIV3Schema"`
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return err
	}
	var names []string
	for _, v := range crd.Spec.Versions {
		names = append(names, v.Name)
	}
	known := named(table)
	for _, v := range crd.Spec.Versions {
		if v.Name != version {
			continue
		}
		t := new(schema.Converter).Convert(v.Schema.OpenAPIV3Schema)
		fmt.Printf("source URL\nkind %s/%s %s\n", crd.Spec.Group, strings.Join(names, ","), crd.Spec.Names.Kind)
		for _, field := range t.Map.Fields {
			if !slices.Contains([]string{"apiVersion", "kind", "metadata"}, field.Name) {
				printField(field, "", known)
			}
		}
		return nil
	}
	return fmt.Errorf("%s must have the version %s, not only %s", file, version, names)
}

func printField(field schema.Field, indent string, known map[string]*schema.Type) {
	fmt.Printf("%s%s\n", indent, fieldText(field, indent, known))
}

func fieldText(field schema.Field, indent string, known map[string]*schema.Type) string {
	required, value := "", ""
	if field.Required {
		required = "!"
	}
	if field.Default != nil {
		if text, err := json.Marshal(field.Default); err == nil {
			value = " = " + string(text)
		}
	}
	first, rest, isBlock := strings.Cut(typeText(field.Type, indent, known), "\n")
	if isBlock {
		rest = "\n" + rest
	}
	return field.Name + required + " " + first + value + rest
}

// enough is the number of fields from which on a map is compared with types of Kubernetes. Small
// ones are equal by chance.
const enough = 5

func typeText(t *schema.Type, indent string, known map[string]*schema.Type) string {
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if t.Map != nil && len(t.Map.Fields) >= enough && covers(known[name], t) {
			return name
		}
	}
	switch {
	case t.Scalar == schema.Untyped && t.Map != nil:
		return "any"
	case t.Scalar != "":
		for word, scalar := range scalars {
			if scalar == t.Scalar {
				return word
			}
		}
	case t.List != nil:
		keys := strings.Join(t.List.Keys, ",")
		if t.List.Kind == schema.SetOf {
			keys = "set"
		}
		return "[" + keys + "]" + typeText(t.List.Element, indent, known)
	case len(t.Map.Fields) == 0 && t.Map.Element != nil && t.Map.Element != schema.Any() && !t.Map.Atomic:
		return "{*}" + typeText(t.Map.Element, indent, known)
	}
	var b strings.Builder
	if t.Map.Atomic {
		b.WriteString("atomic")
	}
	b.WriteString("{\n")
	for _, field := range t.Map.Fields {
		b.WriteString(indent + "  " + fieldText(field, indent+"  ", known) + "\n")
	}
	if t.Map.Element != nil {
		b.WriteString(indent + "  ...\n")
	}
	return b.String() + indent + "}"
}

// covers tells whether a type of Kubernetes includes t. It may have additional fields, those of
// newer versions of Kubernetes.
func covers(known, t *schema.Type) bool {
	if known.Scalar != t.Scalar && known.Map == nil && known.List == nil && t.Map == nil && t.List == nil {
		// Formats of strings and numbers that a CustomResourceDefinition can't express.
		return known.Scalar == schema.Untyped || t.Scalar == schema.Untyped
	}
	if known.Scalar == schema.Untyped && t.Scalar == schema.Untyped {
		return true
	}
	if (known.Map == nil) != (t.Map == nil) || (known.List == nil) != (t.List == nil) {
		return false
	}
	if t.List != nil && (known.List.Kind != t.List.Kind || !slices.Equal(known.List.Keys, t.List.Keys) ||
		!covers(known.List.Element, t.List.Element)) {
		return false
	}
	return t.Map == nil || coversMap(known.Map, t.Map)
}

func coversMap(known, m *schema.Map) bool {
	if known.Atomic != m.Atomic || (known.Element == nil) != (m.Element == nil) || len(m.Fields) < len(known.Fields)*2/3 ||
		m.Element != nil && !covers(known.Element, m.Element) {
		return false
	}
	for _, field := range m.Fields {
		other := known.Field(field.Name)
		if other == nil || other.Required != field.Required || !covers(other.Type, field.Type) {
			return false
		}
	}
	return true
}
