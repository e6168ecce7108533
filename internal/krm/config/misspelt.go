package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// misspelt is a rule whose unknown keys mean fields.
type misspelt struct {
	path  string
	keys  []string
	meant *tree.Node // the rule with the fields
	fault int        // the index of its fault
}

// joinMisspelt reports several rules of a list, which has no other faults, in one message, with the
// list to paste. Where that is too long, each keeps its own.
func (d *decoder) joinMisspelt(elements []*tree.Node, path string, found []misspelt) {
	var all []misspelt
	var keys []string
	list := tree.NewList()
	for i, element := range elements {
		at := path + "[" + strconv.Itoa(i) + "]"
		if j := slices.IndexFunc(found, func(m misspelt) bool { return m.path == at }); j >= 0 {
			all, element, keys = append(all, found[j]), found[j].meant, append(keys, found[j].keys...)
		}
		list.Content = append(list.Content, element)
	}
	if len(all) < 2 {
		return
	}
	text, ok := pasteable(tree.NewMap(path[strings.LastIndexByte(path, '.')+1:], list), maxPasted)
	if !ok {
		return
	}
	slices.Sort(keys)
	first := all[0].fault
	for i := len(all) - 1; i > 0; i-- {
		d.faults = slices.Delete(d.faults, all[i].fault, all[i].fault+1)
	}
	d.faults[first] = report.Fault{Path: path, Message: fmt.Sprintf(
		`unknown fields "%s" in %d rules; write %s`, strings.Join(slices.Compact(keys), `", "`), len(all), text[1:len(text)-1])}
}

// misspeltRule reports the unknown keys of a map with lists of expressions: those that mean a field
// in one message, with the text to paste. It does nothing and returns false for another map.
func (d *decoder) misspeltRule(u *unknown) bool {
	if d.fromText || listsOf(u.t) == nil {
		return false
	}
	var keys, names []string
	changed, whole := tree.NewMap(), tree.NewMap()
	for key, value := range tree.Entries(u.in) {
		if field, known := findField(d.fieldsOf(u.t), key); known {
			add(whole, key, corrected(field, value))
			continue
		}
		one := &unknown{path: u.path, key: key, in: u.in, t: u.t, names: u.names}
		name, meant := d.meant(one, value)
		if meant == nil {
			d.unknownField(one)
			continue
		}
		keys, names = append(keys, words.Shorten(key, maxFound)), append(names, name)
		add(changed, name, meant)
		add(whole, name, meant)
	}
	switch {
	case len(keys) == 1:
		text := membersText(changed)
		if tree.Lookup(u.in, names[0]) != nil { // it goes into a list that is there
			text = membersText(whole)
		}
		d.fault(Child(u.path, keys[0]), "unknown field %s; did you mean %q? write %s", Quote(keys[0]), names[0], text)
	case len(keys) > 1:
		d.fault(u.path, `unknown fields "%s"; write {%s}`, strings.Join(keys, `", "`), membersText(whole))
	}
	if len(keys) > 0 {
		d.misspelt = append(d.misspelt, misspelt{u.path, keys, whole, len(d.faults) - 1})
	}
	return true
}

// meant returns the field that an unknown key means, and its value there; nil if that is not known.
func (d *decoder) meant(u *unknown, value *tree.Node) (string, *tree.Node) {
	other := foreignFields[u.key]
	if other.note != "" {
		return "", nil
	}
	wanted := split(other.names)
	if near, ok := words.Nearest(u.key, u.names.names); ok {
		wanted = append(wanted, near)
	}
	if name, texts := d.meantExpressions(u, value, wanted); texts != nil {
		return name, texts
	}
	for _, name := range wanted {
		if field, known := findField(d.fieldsOf(u.t), name); known && field.key == "" {
			return name, corrected(field, value)
		}
	}
	list, name, isNested := strings.Cut(u.names.places[u.key], "[].")
	if !isNested || name != u.key {
		return "", nil
	}
	return list, tree.NewList(tree.NewMap(name, value))
}

// corrected returns the value of a field as a hint writes it: in a list where the field is one, and
// the name that a misspelt one means.
func corrected(field Field, value *tree.Node) *tree.Node {
	isList := field.Type.Kind() == reflect.Slice && !field.OrOne
	switch kind := tree.Type(value); {
	case isList && (tree.IsMap(value) || kind == tree.String && field.Type.Elem().Kind() == reflect.String):
		return tree.NewList(value)
	case !isList && kind == tree.String && len(field.Enum) > 0:
		if near, ok := words.Nearest(tree.Deref(value).Text(), field.Enum); ok {
			return tree.NewString(near)
		}
	}
	return value
}

// meantExpressions returns the list of expressions that an unknown key means by its name or by its
// texts, and these texts; nil if that is not known.
func (d *decoder) meantExpressions(u *unknown, value *tree.Node, wanted []string) (string, *tree.Node) {
	lists := listsOf(u.t)
	isWanted := lists.FieldFor(u.key, "") != "" || slices.ContainsFunc(d.fieldsOf(u.t), func(f Field) bool {
		return f.key != "" && slices.Contains(wanted, f.Name)
	})
	elements := []*tree.Node{value}
	if tree.IsList(value) {
		elements = tree.Elements(value)
	}
	if !isWanted {
		return "", nil
	}
	list, texts := "", tree.NewList()
	for _, element := range elements {
		text := tree.Deref(element).Text()
		if tree.Type(element) == tree.String && !strings.ContainsAny(text[:min(1, len(text))], "./[{$") && lists.FieldFor("", "."+text) != "" {
			text = "." + text
		}
		field := lists.FieldFor(u.key, text)
		if tree.Type(element) != tree.String || field == "" || list != "" && field != list {
			return "", nil
		}
		list, texts.Content = field, append(texts.Content, tree.NewString(text))
	}
	return list, texts
}

// add adds a member to a map. Lists of one name are joined, and so are their only maps.
func add(m *tree.Node, name string, value *tree.Node) {
	value = tree.Deref(value)
	for i := 0; i < len(m.Content); i += 2 {
		there, more := m.Content[i+1], value.Content
		switch {
		case m.Content[i].Text() != name || !tree.IsList(there) || !tree.IsList(value):
			continue
		case len(there.Content) == 1 && len(more) == 1 && tree.IsMap(there.Content[0]) && tree.IsMap(more[0]):
			members := slices.Concat(tree.Deref(there.Content[0]).Content, tree.Deref(more[0]).Content)
			m.Content[i+1] = tree.NewList(&tree.Node{Kind: tree.MappingNode, Content: members})
		default:
			m.Content[i+1] = tree.NewList(slices.Concat(there.Content, more)...)
		}
		return
	}
	m.Content = append(m.Content, tree.NewString(name), value)
}

// membersText writes the members of a map in one line.
func membersText(m *tree.Node) string {
	text, ok := pasteable(m, maxPasted)
	if !ok {
		return text
	}
	return text[1 : len(text)-1]
}
