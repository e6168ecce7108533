package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TypeOf names the type of n with its article, "a map", and not its value, which may be a Secret's.
func TypeOf(n *tree.Node) string {
	if t := tree.Type(n); t != tree.Null {
		return "a " + t
	}
	return tree.Null
}

// maxFound is the number of characters of a value that messages show.
const maxFound = 60

// mustBe reports that n is not of the type that t needs.
func (d *decoder) mustBe(n *tree.Node, path string, t reflect.Type) {
	if d.fromText && t.Kind() == reflect.Slice {
		d.fault(path, "must be text with one element per line, found %s", Found(n))
		return
	}
	d.fault(path, "must be %s, found %s%s", expected(t), Found(n), fix(n, t, path))
}

// expected names the data that decodes into t.
func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return expected(t.Elem())
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
	case reflect.Bool:
		return " of booleans"
	case reflect.Struct, reflect.Map:
		return " of maps"
	case reflect.Slice:
		return " of lists"
	}
	return ""
}

// fix says how to write n so that it decodes into t, the type of the field at path, if that is
// clear.
func fix(n *tree.Node, t reflect.Type, path string) string {
	switch found := tree.Type(n); {
	case t.Kind() == reflect.String && (found == tree.Number || found == tree.Boolean):
		return "; write it in quotes: " + Quote(n.Text())
	case t.Kind() == reflect.Bool && found == tree.String:
		return fixBoolean(n.Text())
	case t.Kind() == reflect.Struct && found == tree.Boolean:
		fields := Fields(t)
		if i := slices.IndexFunc(fields, func(f Field) bool { return f.Type.Kind() == reflect.Bool }); i >= 0 {
			return fmt.Sprintf("; write {%s: %s}", fields[i].Name, n.Text())
		}
	case t.Kind() == reflect.Struct && found == tree.String:
		if lists := inLists(n.Text(), t); lists != "" {
			return "; write " + lists
		}
	case found == tree.Map && (strings.HasSuffix(path, "labelSelector") || strings.HasSuffix(path, "annotationSelector")):
		return fixLabelSelector(n)
	case t.Kind() == reflect.String && found == tree.Map:
		return fixText(n)
	case t.Kind() == reflect.String && found == tree.List && len(n.Content) > 1:
		return "; write one value here, and another entry for each of the others"
	case t.Kind() == reflect.Map && found == tree.String && strings.Contains(n.Text(), "="):
		return "; write it as a map: " + flowOfPairs(n.Text())
	case t.Kind() == reflect.Map && found == tree.String && (strings.HasSuffix(path, ".labels") || strings.HasSuffix(path, ".annotations")):
		name := strings.TrimSuffix(path[strings.LastIndexByte(path, '.')+1:], "s")
		return fmt.Sprintf("; write %sSelector: %s", name, strconv.Quote(n.Text()))
	case t.Kind() == reflect.Map && found == tree.List:
		return fixPairs(n)
	case t.Kind() == reflect.Slice && (found == tree.String || found == tree.Map):
		return fixOne(n, t.Elem())
	}
	return ""
}

// fixPairs says how to write a list of texts such as a=b as a map.
func fixPairs(list *tree.Node) string {
	pairs := tree.NewMap()
	for _, element := range tree.Deref(list).Content {
		key, value, ok := strings.Cut(tree.Deref(element).Text(), "=")
		if !ok || len(pairs.Content) == 2*maxMembers {
			return ""
		}
		pairs.Content = append(pairs.Content, tree.NewString(key), tree.NewString(value))
	}
	text, ok := pasteable(pairs, maxPasted)
	if !ok || len(pairs.Content) == 0 {
		return ""
	}
	return "; write " + text
}

// inLists writes a text as the expression that it looks like, where a map with lists of expressions
// is expected; "" for another text or type.
func inLists(text string, t reflect.Type) string {
	if t.Kind() != reflect.Struct || listsOf(t) == nil {
		return ""
	}
	if field := listsOf(t).FieldFor("", text); field != "" {
		return fmt.Sprintf("{%s: [%s]}", field, Quote(text))
	}
	return ""
}

// fixText says how to write a text that YAML reads as a map: `{.spec.replicas}`, one with `: ` in
// it, or one under a plain name, as in `path: /spec/replicas`.
func fixText(n *tree.Node) string {
	if n = tree.Deref(n); len(n.Content) != 2 {
		return ""
	}
	name, value := tree.Deref(n.Content[0]).Text(), tree.Deref(n.Content[1])
	isFlow, isName := n.Style&tree.FlowStyle != 0, strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz") == ""
	switch {
	case tree.Type(value) == tree.String && isName && value.Text() != "" && strings.IndexByte("/.", value.Text()[0]) >= 0:
		return "; write " + Quote(value.Text())
	case isFlow && tree.Type(value) == tree.Null:
		return "; write it in quotes: " + Quote("{"+name+"}")
	case !isFlow:
		return `; a string that contains ": " must be in quotes`
	}
	return ""
}

// fixOne says how to write n as the only element of a list.
func fixOne(n *tree.Node, element reflect.Type) string {
	text := flow(n)
	if tree.Type(n) == tree.String && element.Kind() != reflect.String {
		if element.Kind() == reflect.Struct && isKind().MatchString(n.Text()) {
			if _, hasKind := findField(Fields(element), "kind"); hasKind {
				return "; write [{kind: " + n.Text() + "}]"
			}
		}
		if lists := inLists(n.Text(), element); lists != "" {
			return "; write [" + lists + "]"
		}
		if text = flowOfPairs(n.Text()); !strings.Contains(n.Text(), "=") {
			return ""
		}
	}
	if utf8.RuneCountInString(text) >= maxFound || text == "{}" {
		return `; write it as a list, with "- " before it`
	}
	return "; write it as a list: [" + text + "]"
}

// isKind matches the names of kinds.
var isKind = words.Pattern(`^[A-Z][A-Za-z0-9]{0,59}$`)

// flowOfPairs writes a=b,c=d as a map.
func flowOfPairs(text string) string {
	var pairs []string
	for pair := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(pair, "=")
		pairs = append(pairs, strings.TrimSpace(key)+": "+strconv.Quote(strings.TrimLeft(strings.TrimSpace(value), "=")))
	}
	return words.Shorten("{"+strings.Join(pairs, ", ")+"}", maxFound)
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
		return kind + " " + flow(n)
	}
}

// flow returns the beginning of n in flow style.
func flow(n *tree.Node) string {
	var b strings.Builder
	writeFlow(&b, n)
	return words.Shorten(b.String(), maxFound)
}

// Quote returns text in quotes, shortened to 60 characters.
func Quote(text string) string {
	return strconv.Quote(words.Shorten(text, maxFound))
}

// writeFlow writes n in flow style, up to the length of a message, so that the cost does not depend
// on the data.
func writeFlow(b *strings.Builder, n *tree.Node) {
	n = tree.Deref(n)
	if n.Kind == tree.ScalarNode {
		if tree.Type(n) == tree.String {
			b.WriteString(Quote(n.Text()))
			return
		}
		b.WriteString(words.Shorten(n.Text(), maxFound))
		return
	}
	brackets := map[bool]string{true: "{}", false: "[]"}[tree.IsMap(n)]
	b.WriteByte(brackets[0])
	for i := 0; i < len(n.Content) && b.Len() <= 4*maxFound; i++ {
		isValue := tree.IsMap(n) && i%2 == 1
		switch {
		case isValue:
			b.WriteString(": ")
		case i > 0:
			b.WriteString(", ")
		}
		if tree.IsMap(n) && !isValue {
			b.WriteString(Quote(tree.Deref(n.Content[i]).Text()))
			continue
		}
		writeFlow(b, n.Content[i])
	}
	b.WriteByte(brackets[1])
}

// operators are those of Kubernetes' matchExpressions.
var operators = map[string]selection.Operator{
	"In": selection.In, "NotIn": selection.NotIn, "Exists": selection.Exists, "DoesNotExist": selection.DoesNotExist,
}

// fixLabelSelector says how to write a map of labels, or Kubernetes' matchLabels and
// matchExpressions, as a label selector; "" if n is another map.
func fixLabelSelector(n *tree.Node) string {
	pairs, expressions := tree.Get(n, "matchLabels"), tree.Get(n, "matchExpressions")
	if pairs == nil && expressions == nil {
		pairs = n
	}
	var terms []string
	add := func(key string, operator selection.Operator, values []string) bool {
		requirement, err := labels.NewRequirement(key, operator, values)
		if err == nil {
			terms = append(terms, requirement.String())
		}
		return err == nil
	}
	for key, value := range tree.Entries(pairs) {
		if !add(key, selection.Equals, []string{tree.GetString(value)}) {
			return ""
		}
	}
	for _, e := range tree.Elements(expressions) {
		var values []string
		for _, v := range tree.Elements(tree.Get(e, "values")) {
			values = append(values, tree.GetString(v))
		}
		if !add(tree.GetString(e, "key"), operators[tree.GetString(e, "operator")], values) {
			return ""
		}
	}
	if len(terms) == 0 {
		return ""
	}
	return "; write it as text: " + Quote(words.Shorten(strings.Join(terms, ","), maxFound))
}
