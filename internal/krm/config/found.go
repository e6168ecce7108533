package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxFound is the number of characters of a value that messages show.
const maxFound = 60

// mustBe reports that n is not of the type that t needs.
func (d *decoder) mustBe(n *tree.Node, path string, t reflect.Type) {
	if d.fromText && t.Kind() == reflect.Slice {
		d.fault(path, "must be text with one element per line, found %s", Found(n))
		return
	}
	d.fault(path, "must be %s, found %s%s", expected(t), Found(n), fix(n, path, t))
}

// expected names the data that decodes into t.
func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "a list" + elements(t.Elem())
	case reflect.Map:
		return "a map" + elements(t.Elem())
	case reflect.Struct:
		return "a map"
	case reflect.Bool:
		return "true or false"
	}
	return "a string"
}

func elements(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return elements(t.Elem())
	case reflect.String:
		return " of strings"
	case reflect.Struct, reflect.Map:
		return " of maps"
	case reflect.Slice:
		return " of lists"
	}
	return ""
}

// fix says how to write n, found at a path, so that it decodes into t, if that is clear.
func fix(n *tree.Node, path string, t reflect.Type) string {
	name := path[strings.LastIndexByte(path, '.')+1:]
	switch found := tree.Type(n); {
	case t.Kind() == reflect.String && found == tree.Map:
		return fixMap(n)
	case t.Kind() == reflect.String && found == tree.List && inSelector().MatchString(path):
		return "; write one entry for each: " + flow(entriesOf(n, name), maxPasted)
	case t.Kind() == reflect.String && found == tree.List && inTarget().MatchString(path):
		values, _ := tree.MarshalJSON(n) // of strings, which CEL writes as JSON does
		return "; write where: " + fieldsOfTarget[name] + " in " + words.Shorten(string(values), maxPasted)
	case t.Kind() == reflect.String && found == tree.List && name == "forEach":
		values, _ := tree.MarshalJSON(n)
		if len(values) > maxPasted {
			return ""
		}
		return "; write forEach: " + scalarText("${"+string(values)+"}")
	case t.Kind() == reflect.Struct && oneExpression(t, n) != nil:
		return "; write " + flow(oneExpression(t, n), maxPasted)
	case t.Kind() == reflect.String && (found == tree.Number || found == tree.Boolean):
		return "; write it in quotes: " + Quote(n.Text())
	case t.Kind() == reflect.Bool && found == tree.String:
		return fixBoolean(n.Text())
	case t.Kind() == reflect.Slice && (found == tree.Map || found == tree.String && t.Elem().Kind() == reflect.String):
		return `; write it as a list, with "- " before it`
	case t.Kind() == reflect.Slice && found == tree.String:
		return fixString(tree.Deref(n).Text())
	}
	return ""
}

// fixString says how to write the list that a string means, as the patches of kustomize have one.
func fixString(text string) string {
	switch {
	case strings.HasPrefix(text, "- "):
		return "; write the list itself, without the | that makes it a string"
	case strings.Contains(text, "apiVersion:"):
		return "; a strategic merge patch is written as operations, such as {op: add, path: /spec/replicas, value: 3}"
	}
	return ""
}

// inSelector is the path of a field of a selector.
var inSelector = words.Pattern(`(?:selectors|exclude)\[\d+\]\.\w+$`)

// inTarget is the path of a field of the target of a patch.
var inTarget = words.Pattern(`\.target\.(?:kind|name|namespace)$`)

// fieldsOfTarget are the fields of a target as its where names them.
var fieldsOfTarget = map[string]string{
	"kind": "resource.kind", "name": "resource.metadata.name", "namespace": "resource.metadata.namespace",
}

// entriesOf returns a map with the key for each element of a list.
func entriesOf(list *tree.Node, key string) *tree.Node {
	return tree.NewList(lists.Map(tree.Elements(list), func(e *tree.Node) *tree.Node { return tree.NewMap(key, e) })...)
}

// fixMap says how to write as a string what a map means: the label selector of an object of
// Kubernetes, or an expression in braces, or with a colon.
func fixMap(n *tree.Node) string {
	if text, ok := labels(n); ok {
		return "; write " + Quote(text)
	}
	if len(n.Content) != 2 {
		return ""
	}
	key, value := tree.Deref(n.Content[0]).Text(), tree.Deref(n.Content[1])
	switch {
	case tree.Type(value) == tree.Null:
		return "; write it in quotes: " + Quote("{"+key+"}")
	case strings.HasPrefix(key, ".") && value.Kind == tree.ScalarNode:
		return "; write it in quotes: " + scalarText(words.Shorten(key+": "+value.Text(), maxFound))
	}
	return ""
}

// labels writes the label selector of an object of Kubernetes as a string; false for another map.
func labels(n *tree.Node) (text string, ok bool) {
	var terms []string
	for key, value := range tree.Entries(n) {
		switch key {
		case "matchLabels":
			for name, label := range tree.Entries(value) {
				terms = append(terms, name+"="+tree.Deref(label).Text())
			}
		case "matchExpressions":
			terms = append(terms, lists.Map(tree.Elements(value), requirement)...)
		}
	}
	return strings.Join(terms, ","), len(terms) > 0 && !slices.Contains(terms, "")
}

// requirement writes an entry of matchExpressions as a selector in a string has it; "" for one with
// an unknown operator.
func requirement(e *tree.Node) string {
	key := tree.GetString(e, "key")
	switch operator := strings.ToLower(tree.GetString(e, "operator")); operator {
	case "exists":
		return key
	case "doesnotexist":
		return "!" + key
	case "in", "notin":
		values := lists.Map(tree.Elements(tree.Lookup(e, "values")), func(v *tree.Node) string { return tree.Deref(v).Text() })
		return fmt.Sprintf("%s %s (%s)", key, operator, strings.Join(values, ","))
	}
	return ""
}

func fixBoolean(text string) string {
	switch strings.ToLower(text) {
	case "true", "false":
		return "; write " + strings.ToLower(text) + " without quotes"
	case "yes", "y", "on":
		return "; write true"
	case "no", "n", "off":
		return "; write false"
	}
	return ""
}

// Found describes the data of n for a message, after the word "found": its type and its value in at
// most 60 characters. The type of a string is left out.
func Found(n *tree.Node) string {
	n = tree.Deref(n)
	switch kind := tree.Type(n); kind {
	case tree.Null:
		return kind
	case tree.String:
		return Quote(n.Text())
	case tree.Number, tree.Boolean:
		return kind + " " + words.Shorten(n.Text(), maxFound)
	default:
		return kind + " " + flow(n, maxFound)
	}
}

// flow returns n in flow style, up to a number of characters.
func flow(n *tree.Node, limit int) string {
	var b strings.Builder
	writeFlow(&b, n, limit)
	return words.Shorten(b.String(), limit)
}

// Quote returns text in quotes, shortened to 60 characters.
func Quote(text string) string {
	return strconv.Quote(words.Shorten(text, maxFound))
}

// writeFlow writes n in flow style until more than so many characters are there, so that the cost
// does not depend on the data.
func writeFlow(b *strings.Builder, n *tree.Node, limit int) {
	n = tree.Deref(n)
	if n.Kind == tree.ScalarNode {
		text := words.Shorten(n.Text(), limit)
		if tree.Type(n) == tree.String {
			text = scalarText(text)
		}
		b.WriteString(text)
		return
	}
	brackets := map[bool]string{true: "{}", false: "[]"}[tree.IsMap(n)]
	b.WriteByte(brackets[0])
	for i := 0; i < len(n.Content) && b.Len() <= 4*limit; i++ {
		isValue := tree.IsMap(n) && i%2 == 1
		switch {
		case isValue:
			b.WriteString(": ")
		case i > 0:
			b.WriteString(", ")
		}
		if tree.IsMap(n) && !isValue {
			b.WriteString(scalarText(words.Shorten(tree.Deref(n.Content[i]).Text(), limit)))
			continue
		}
		writeFlow(b, n.Content[i], limit)
	}
	b.WriteByte(brackets[1])
}

// plainText is what needs no quotes in flow style if it is no number, boolean or null.
var plainText = words.Pattern(`^[\w./$-]+$`)

// scalarText writes a string as YAML, with as few quotes as it can.
func scalarText(text string) string {
	switch {
	case plainText().MatchString(text) && tree.NewString(text).Style == 0:
		return text
	case strings.Contains(text, `"`) && !strings.ContainsFunc(text, unicode.IsControl):
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return strconv.Quote(text)
}
