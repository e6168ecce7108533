package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fieldsMeant are our fields for names of Argo CD, kustomize and Kubernetes that are not like them.
var fieldsMeant = map[string]string{
	"ignoreDifferences": "ignoreFields", "target": "selectors", "matchLabels": "labels", "matchExpressions": "labelSelector",
	"paths": "jsonPointers", "patch": "operations", "when": "where",
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
	return words.Of(d.fieldsOf(t), func(f Field) string { return f.Name })
}

// unknownField reports an unknown key of the map at path, which is decoded into the struct type t.
func (d *decoder) unknownField(t reflect.Type, path, key string) {
	names, hint := d.namesOf(t), ""
	if name := nearest(key, names); name != "" {
		hint = fmt.Sprintf("did you mean %q? ", name)
	}
	for _, f := range d.fieldsOf(t) {
		if list := f.Type; hint == "" && list.Kind() == reflect.Slice && list.Elem().Kind() == reflect.Struct && slices.Contains(d.namesOf(list.Elem()), key) {
			hint = fmt.Sprintf("write %s: [{%s: …}]; ", f.Name, key)
		}
	}
	if key == "ignoreDifferences" {
		hint += `"krm-fields convert --to ignorefields" converts Argo CD's form; `
	}
	d.fault(Child(path, key), "unknown field %s; %sknown fields: %s", Quote(key), hint, strings.Join(names, ", "))
}

// misspelt is what the misspelt keys of a rule mean.
type misspelt struct {
	keys []string
	rule *tree.Node
}

// misspeltRule reports the unknown keys of a map with lists of expressions: those that mean a field
// in one message, with the map to paste. It does nothing and returns false for another map.
func (d *decoder) misspeltRule(n *tree.Node, path string, t reflect.Type) bool {
	lists := listsOf(t)
	if d.fromText || lists == nil {
		return false
	}
	m, name := misspelt{rule: tree.NewMap()}, ""
	for key, value := range tree.Entries(n) {
		field, known := findField(d.fieldsOf(t), key)
		if !known {
			if field, known = d.meant(t, lists, key, value); !known {
				d.unknownField(t, path, key)
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

// meant returns the field that an unknown key of a rule means; a list of expressions by what they
// look like.
func (d *decoder) meant(t reflect.Type, lists FieldMap, key string, value *tree.Node) (Field, bool) {
	field, ok := findField(d.fieldsOf(t), cmp.Or(lists.FieldFor(key, ""), nearest(key, d.namesOf(t))))
	if field.key == "" {
		return field, ok
	}
	if tree.IsList(value) && len(tree.Elements(value)) > 0 {
		value = tree.Elements(value)[0]
	}
	return findField(d.fieldsOf(t), cmp.Or(lists.FieldFor(key, tree.Deref(value).Text()), field.Name))
}

// add adds a field to the rule, and its elements to a list that is there.
func (m misspelt) add(field Field, value *tree.Node) {
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
	slices.Sort(keys)
	d.faults = append(d.faults[:from], report.Fault{Path: path, Message: fmt.Sprintf(
		`unknown fields "%s" in %d rules; write %s: %s`,
		strings.Join(slices.Compact(keys), `", "`), rules, path[strings.LastIndexByte(path, '.')+1:], flow(list, maxPasted))})
}

// maxPasted is the number of characters of a text to paste.
const maxPasted = 2000

// listsOf returns the lists of expressions that are fields of a struct type; nil for none.
func listsOf(t reflect.Type) FieldMap {
	for i := range t.NumField() {
		if lists, ok := reflect.Zero(t.Field(i).Type).Interface().(FieldMap); ok {
			return lists
		}
	}
	return nil
}
