package config

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// misspeltRule reports the unknown keys of a map with lists of expressions: those that mean a field
// in one message, with the text to paste. It does nothing and returns false for another map.
func (d *decoder) misspeltRule(u *unknown) bool {
	if d.fromText || listsOf(u.t) == nil {
		return false
	}
	var keys, names []string
	changed, whole := newFlowMap(), newFlowMap()
	for key, value := range tree.Entries(u.in) {
		if _, known := findField(d.fieldsOf(u.t), key); known {
			whole.add(key, value)
			continue
		}
		one := &unknown{path: u.path, key: key, in: u.in, t: u.t, names: u.names}
		name, meant := d.meant(one, value)
		if meant == nil {
			d.unknownField(one)
			continue
		}
		keys, names = append(keys, words.Shorten(key, maxFound)), append(names, name)
		changed.add(name, meant)
		whole.add(name, meant)
	}
	switch {
	case len(keys) == 1:
		text := changed.text()
		if tree.Lookup(u.in, names[0]) != nil { // it goes into a list that is there
			text = whole.text()
		}
		d.fault(child(u.path, keys[0]), "unknown field %s; did you mean %q? write %s", Quote(keys[0]), names[0], text)
	case len(keys) > 1:
		d.fault(u.path, `unknown fields "%s"; write {%s}`, strings.Join(keys, `", "`), whole.text())
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
			return name, d.inList(field, value)
		}
	}
	list, name, isNested := strings.Cut(u.names.places[u.key], "[].")
	if !isNested || name != u.key {
		return "", nil
	}
	return list, tree.NewList(tree.NewMap(name, value))
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

// inList returns a value as a field takes it: a map as the only element of a list.
func (d *decoder) inList(field Field, value *tree.Node) *tree.Node {
	if field.Type.Kind() == reflect.Slice && !field.OrOne && tree.IsMap(value) {
		return tree.NewList(value)
	}
	return value
}

// flowMap is a map to paste.
type flowMap struct {
	node *tree.Node
	// left is how many nodes it may still get, which bounds what aliases stand for.
	left int
}

func newFlowMap() *flowMap {
	node := tree.NewMap()
	node.Style = tree.FlowStyle
	return &flowMap{node: node, left: maxPasted}
}

// add adds a member. Lists of one name are joined, and so are their only maps.
func (m *flowMap) add(name string, value *tree.Node) {
	there := tree.Lookup(m.node, name)
	value = inFlow(value, &m.left)
	if there == nil || !tree.IsList(there) || !tree.IsList(value) {
		m.node.Content = append(m.node.Content, tree.NewString(name), value)
		return
	}
	if len(there.Content) == 1 && len(value.Content) == 1 && tree.IsMap(there.Content[0]) && tree.IsMap(value.Content[0]) {
		there.Content[0].Content = append(there.Content[0].Content, value.Content[0].Content...)
		return
	}
	there.Content = append(there.Content, value.Content...)
}

// maxPasted is the number of bytes, and of nodes, of a text to paste.
const maxPasted = 2000

// text returns the members in one line.
func (m *flowMap) text() string {
	text, err := yaml.Marshal(tree.ToLibrary(m.node))
	line := strings.TrimSpace(string(text))
	if err != nil || len(line) > maxPasted || m.left < 0 {
		return "…"
	}
	return strings.TrimSuffix(strings.TrimPrefix(line, "{"), "}")
}

// inFlow returns the data of a node in flow style, and counts down what is left.
func inFlow(n *tree.Node, left *int) *tree.Node {
	n = tree.Deref(n)
	if *left--; n.Kind == tree.ScalarNode || *left < 0 {
		return n.Bare()
	}
	flow := &tree.Node{Kind: n.Kind, Tag: n.Tag, Style: tree.FlowStyle}
	for _, c := range n.Content {
		flow.Content = append(flow.Content, inFlow(c, left))
	}
	return flow
}
