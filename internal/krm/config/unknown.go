package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fieldsMeant are our fields for names of Argo CD, kustomize and Kubernetes that are not like them.
var fieldsMeant = map[string]string{
	"ignoreDifferences": "ignoreFields", "target": "selectors", "selectors": "target", "selector": "target", "apiGroup": "group",
	"type": "operation", "matchLabels": "labels", "matchExpressions": "labelSelector", "paths": "jsonPointers", "patch": "operations", "when": "where",
}

// otherwise says how to write what a field of another kind says, by that field and one beside it.
var otherwise = map[[2]string]string{
	{"exclude", "where"}:                   `write where: resource.metadata.namespace != "kube-system"; `,
	{"exclude", "patches"}:                 `write in each target where: resource.metadata.namespace != "kube-system"; `,
	{"selectors", "patches"}:               "write a target in each patch; ",
	{"action", "jsonPointers"}:             "write action beside ignoreFields, for all rules; ",
	{"jsonPointers", "labelSelector"}:      "write it in a rule of ignoreFields, beside selectors; ",
	{"jsonPaths", "labelSelector"}:         "write it in a rule of ignoreFields, beside selectors; ",
	{"jqPathExpressions", "labelSelector"}: "write it in a rule of ignoreFields, beside selectors; ",
	{"metadata", "jqFilter"}:               "write name and namespace beside kind, without metadata; ",
}

// nearest returns the known name that an unknown key means; "" for none.
func nearest(key string, known []string) string {
	if name := fieldsMeant[key]; slices.Contains(known, name) {
		return name
	}
	name, _ := words.Nearest(key, known)
	return name
}

func (d *decoder) namesOf(t reflect.Type) []string {
	return lists.Map(d.fieldsOf(t), func(f Member) string { return f.Name })
}

// unknownField reports an unknown key of the map at path, which is decoded into the struct type t.
func (d *decoder) unknownField(t reflect.Type, path, key string, value *tree.Node) {
	names, hint, meant := d.namesOf(t), "", ""
	if field, ok := findField(d.fieldsOf(t), nearest(key, names)); ok {
		hint, meant = fmt.Sprintf("did you mean %q? ", field.Name), Child(path, field.Name)
		if tree.Type(value) == tree.String && field.Type.Kind() == reflect.Slice && field.Type.Elem().Kind() == reflect.Struct {
			hint += strings.TrimPrefix(fixString(tree.Deref(value).Text())+"; ", "; ")
		}
	}
	if holder := d.holderOf(t, key); hint == "" && holder.Name != "" {
		if text, ok := labels(value); ok {
			value = tree.NewString(text)
		}
		text := flow(tree.NewMap(key, value), maxPasted)
		if holder.Type.Kind() == reflect.Slice {
			text = "[" + text + "]"
		}
		hint = fmt.Sprintf("write %s: %s; ", holder.Name, text)
	}
	for _, name := range names {
		hint += otherwise[[2]string{key, name}]
	}
	if key == "spec" && path == "" {
		hint = d.beside(value, t)
	}
	if key == "ignoreDifferences" {
		hint += `"krm-fields convert --to ignorefields" converts Argo CD's form; `
	}
	message := fmt.Sprintf("unknown field %s; %sknown fields: %s", Quote(key), hint, strings.Join(names, ", "))
	d.faults = append(d.faults, report.Fault{Path: Child(path, key), Message: message, Meant: meant})
}

// holderOf returns the field of a struct type that is a map, or a list of maps, that have a field.
func (d *decoder) holderOf(t reflect.Type, name string) Member {
	holder, _ := lists.Find(d.fieldsOf(t), func(f Member) bool {
		of := f.Type
		for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		return of.Kind() == reflect.Struct && of != nodeType.Elem() && slices.Contains(d.namesOf(of), name)
	})
	return holder
}

// beside says of what stands under spec how to write it beside kind: fields of a struct type, or
// those of its list's elements, alone, in a list, or in one under another key; "" for anything
// else.
func (d *decoder) beside(n *tree.Node, t reflect.Type) string {
	var known []string
	maps := append([]*tree.Node{n}, tree.Elements(n)...)
	for key, value := range tree.Entries(n) {
		if slices.Contains(d.namesOf(t), key) {
			known = append(known, key)
		}
		maps = append(maps, tree.Elements(value)...)
	}
	if known != nil {
		return fmt.Sprintf("write %s beside kind, without spec; ", words.All(known))
	}
	for _, m := range maps {
		for key := range tree.Entries(m) {
			if holder := d.holderOf(t, key); holder.Type != nil && holder.Type.Kind() == reflect.Slice {
				return fmt.Sprintf("write %s: [{%s: …}] beside kind, without spec; ", holder.Name, key)
			}
		}
	}
	return ""
}

// misspelt is what the misspelt keys of a rule mean.
type misspelt struct {
	keys []string
	rule *tree.Node
}

// misspeltRule reports the unknown keys of a map with lists of expressions: those that mean a field
// in one message, with the map to paste. It does nothing and returns false for another map.
func (d *decoder) misspeltRule(n *tree.Node, path string, t reflect.Type) bool {
	fields := listsOf(t)
	if d.fromText || fields == nil {
		return false
	}
	m, name := misspelt{rule: tree.NewMap()}, ""
	for key, value := range tree.Entries(n) {
		field, known := findField(d.fieldsOf(t), key)
		if !known {
			if field, known = d.meant(t, fields, key, value); !known {
				d.unknownField(t, path, key, value)
				continue
			}
			m.keys, name = append(m.keys, words.Shorten(key, maxFound)), field.Name
		}
		m.add(field, value)
	}
	if len(m.keys) == 0 {
		return true
	}
	if d.misspelt == nil {
		d.misspelt = map[*tree.Node]misspelt{}
	}
	d.misspelt[n] = m
	text := flow(m.rule, maxPasted)
	if len(m.rule.Content) == 2 { // a key and its value need no braces
		text = strings.TrimSuffix(text[1:], "}")
	}
	if len(m.keys) == 1 {
		d.fault(Child(path, m.keys[0]), "unknown field %s; did you mean %q? write %s", Quote(m.keys[0]), name, text)
	} else {
		d.fault(path, `unknown fields "%s"; write %s`, strings.Join(m.keys, `", "`), text)
	}
	return true
}

// noteString notes a string that stands where a rule must be.
func (d *decoder) noteString(n *tree.Node, t reflect.Type) {
	rule := oneExpression(t, n)
	if rule == nil {
		return
	}
	if d.misspelt == nil {
		d.misspelt = map[*tree.Node]misspelt{}
	}
	d.misspelt[n] = misspelt{rule: rule}
}

// oneExpression returns the rule that a string means in place of a map with lists of expressions;
// nil if it means none.
func oneExpression(t reflect.Type, n *tree.Node) *tree.Node {
	if tree.Type(n) != tree.String || t.Kind() != reflect.Struct || listsOf(t) == nil {
		return nil
	}
	name := listsOf(t).FieldFor("", tree.Deref(n).Text())
	if name == "" {
		return nil
	}
	return tree.NewMap(name, tree.NewList(n))
}

// meant returns the field that an unknown key of a rule means; a list of expressions by what they
// look like.
func (d *decoder) meant(t reflect.Type, fields FieldMap, key string, value *tree.Node) (Member, bool) {
	field, ok := findField(d.fieldsOf(t), cmp.Or(fields.FieldFor(key, ""), nearest(key, d.namesOf(t))))
	if field.key == "" {
		return field, ok
	}
	if tree.IsList(value) && len(tree.Elements(value)) > 0 {
		value = tree.Elements(value)[0]
	}
	return findField(d.fieldsOf(t), cmp.Or(fields.FieldFor(key, tree.Deref(value).Text()), field.Name))
}

// add adds a field to the rule, and its elements to a list that is there.
func (m misspelt) add(field Member, value *tree.Node) {
	if field.Type.Kind() == reflect.Slice && !tree.IsList(value) {
		value = tree.NewList(value)
	}
	for i := 0; i < len(m.rule.Content); i += 2 {
		if m.rule.Content[i].Text() != field.Name {
			continue
		}
		if field.Type.Kind() == reflect.Slice { // of any other field, the first value stays
			m.rule.Content[i+1] = tree.NewList(slices.Concat(tree.Elements(m.rule.Content[i+1]), tree.Elements(value))...)
		}
		return
	}
	m.rule.Content = append(m.rule.Content, tree.NewString(field.Name), value)
}

// joinMisspelt makes one fault, with the list to paste, of the faults from an index on, where they
// are those of several misspelt rules of the list at path.
func (d *decoder) joinMisspelt(elements []*tree.Node, path string, from int) {
	var keys []string
	rules, list := 0, tree.NewList()
	for _, element := range elements {
		if m, ok := d.misspelt[tree.Deref(element)]; ok {
			rules, keys, element = rules+1, append(keys, m.keys...), m.rule
		}
		list.Content = append(list.Content, element)
	}
	if rules < 2 || rules != len(d.faults)-from {
		return
	}
	name := path[strings.LastIndexByte(path, '.')+1:]
	if len(keys) == 0 {
		d.faults = append(d.faults[:from], report.Fault{Path: path, Message: fmt.Sprintf(
			"must be a list of maps, found %d strings; write %s: %s", rules, name, flow(list, maxPasted))})
		return
	}
	slices.Sort(keys)
	d.faults = append(d.faults[:from], report.Fault{Path: path, Message: fmt.Sprintf(
		`unknown fields "%s" in %d rules; write %s: %s`,
		strings.Join(slices.Compact(keys), `", "`), rules, name, flow(list, maxPasted))})
}

// maxPasted is the number of characters of a text to paste.
const maxPasted = 2000

// listsOf returns the lists of expressions that are fields of a struct type; nil for none.
func listsOf(t reflect.Type) FieldMap {
	for i := range t.NumField() {
		if fields, ok := reflect.Zero(t.Field(i).Type).Interface().(FieldMap); ok {
			return fields
		}
	}
	return nil
}
