package locate

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/tree"
	"github.com/krm-fields/krm-fields/fn/words"
)

// maxHintKeys is the number of keys up to which a map is searched for one that
// looks like a misspelt key.
const maxHintKeys = 1000

// nearestKey returns the key of the map m that the writer of key may have
// meant; false where none is near.
func nearestKey(m *yaml.Node, key string) (string, bool) {
	prefix, _, hasPrefix := cutPrefix(key)
	var names []string
	count := 0
	for k := range tree.Entries(m) {
		if count++; count > maxHintKeys {
			return "", false
		}
		if p, name, has := cutPrefix(k); has == hasPrefix && p == prefix {
			names = append(names, name)
		}
	}
	_, name, _ := cutPrefix(key)
	near, ok := words.Nearest(name, names)
	return prefix + near, ok
}

// cutPrefix cuts a key such as prometheus.io/port behind its slash: keys with the
// same prefix are not near each other for that.
func cutPrefix(key string) (prefix, name string, found bool) {
	i := strings.LastIndexByte(key, '/')
	return key[:i+1], key[i+1:], i >= 0
}

// joinedKeys returns, longest first, how many of the leading names, joined with
// the separator, are a key of the map m.
func joinedKeys(m *yaml.Node, names []string, separator string) []int {
	joined := strings.Join(names, separator)
	counts := make(map[int]int, len(names))
	length := 0
	for i, name := range names {
		length += len(name)
		counts[length] = i + 1
		length += len(separator)
	}
	var found []int
	for key := range tree.Entries(m) {
		if count := counts[len(key)]; count > 0 && strings.HasPrefix(joined, key) {
			found = append(found, count)
		}
	}
	slices.Sort(found)
	slices.Reverse(found)
	return found
}

// typed names the type of data in n with its article, for messages.
func typed(n *yaml.Node) string { return article(tree.Type(n)) }

// article puts the article before the name of a type: `a map`, `null`.
func article(kind string) string {
	if kind == tree.Null {
		return kind
	}
	return "a " + kind
}

// noKey says that a map, which messages call place, has no such key.
func noKey(place, key string) string { return fmt.Sprintf("%s has no key %q", place, key) }

// keyHint names the key of the map m that is nearest to one that it has not.
func keyHint(m *yaml.Node, key string) string {
	if nearest, ok := nearestKey(m, key); ok {
		return fmt.Sprintf("; did you mean %q?", nearest)
	}
	return ""
}

// hint says why the pointer, which finds nothing below the location ended, does
// so, and what to write instead where that can be known.
func (p *pointer) hint(root *yaml.Node, ended Location) string {
	if fix := p.slashFix(root, ended); fix != "" {
		return fmt.Sprintf(`did you mean "%s"?`, fix)
	}
	reason := p.reason(root, ended)
	if fix := severalFix(p.expression, "/"); fix != "" {
		return reason + "; " + fix
	}
	if fix := p.fit(root); fix != "" {
		return reason + "; " + fix
	}
	if n := At(root, ended); tree.IsMap(n) {
		return reason + p.mapHint(n, p.segments[len(ended)])
	}
	return reason
}

// mapHint says what may be meant by a segment that is no key of the map n.
func (p *pointer) mapHint(n *yaml.Node, segment string) string {
	if segment == "*" {
		return ", whose members are .* in a jsonPath"
	}
	return keyHint(n, segment)
}

// fit returns the pointer, or else the JSONPath, that the writer may mean and that
// finds something in the object, or "".
func (p *pointer) fit(root *yaml.Node) string {
	if fix := p.guesses.fitting(p.expression, root, guess.jsonPointer, ParseJSONPointer); fix != "" {
		return fmt.Sprintf(`did you mean "%s"?`, fix)
	}
	fix := p.guesses.fitting(p.expression, root, guess.jsonPath, ParseJSONPath)
	switch {
	case fix == "":
		return ""
	case slices.Contains(p.segments, "*"):
		return fmt.Sprintf("for its members write the jsonPath '%s'", fix)
	}
	return noPointer(fix)
}

// reason says why the pointer finds nothing below the location ended.
func (p *pointer) reason(root *yaml.Node, ended Location) string {
	n, segment, place := At(root, ended), p.segments[len(ended)], quotePointer(ended)
	switch {
	case tree.IsList(n):
		return listHint(n, place, segment)
	case segment == "*" && tree.IsMap(n):
		return fmt.Sprintf(`"*" stands for the elements of a list, and %s is a map`, place)
	case segment == "*":
		return fmt.Sprintf(`"*" stands for the elements of a list, and %s is %s`, place, typed(n))
	case tree.IsMap(n):
		return noKey(place, segment)
	}
	return fmt.Sprintf("%s is %s and holds no %q", place, typed(n), segment)
}

// countElements counts the elements of a list, for messages: `1 element`.
func countElements(list *yaml.Node) string {
	if len(list.Content) == 1 {
		return "1 element"
	}
	return fmt.Sprintf("%d elements", len(list.Content))
}

func listHint(list *yaml.Node, place, segment string) string {
	if _, ok := listIndex(segment); ok || segment == "*" {
		return fmt.Sprintf("%s has %s", place, countElements(list))
	}
	return fmt.Sprintf(`%s is a list; the segment after it must be an index or "*", found %q`, place, segment)
}

// slashFix returns the pointer with its unescaped slashes escaped, where that
// names a key that exists on the way; "" otherwise.
func (p *pointer) slashFix(root *yaml.Node, ended Location) string {
	for depth := range len(ended) + 1 {
		counts := joinedKeys(At(root, ended[:depth]), p.segments[depth:], "/")
		if len(counts) > 0 && counts[0] > 1 {
			key := strings.Join(p.segments[depth:depth+counts[0]], "/")
			return p.with(depth, counts[0], key)
		}
	}
	return ""
}

// with returns the pointer with key in the place of count segments, the first
// of which is at the index first.
func (p *pointer) with(first, count int, key string) string {
	segments := slices.Concat(p.segments[:first], []string{key}, p.segments[first+count:])
	var b strings.Builder
	for _, segment := range segments {
		b.WriteString("/" + EscapePointer(segment))
	}
	return b.String()
}

// nothing is the outcome of a path that finds nothing.
func (w *pathWalk) nothing(in *Input) Found {
	if in.WithoutHint {
		return Found{}
	}
	found := Found{Hint: w.hint(in.Root)}
	if w.ended != nil {
		found.Depth = len(w.ended.location())
	}
	return found
}

// hint says where the path ended, and what to write instead where that can be
// known.
func (w *pathWalk) hint(root *yaml.Node) string {
	if w.ended == nil {
		return ""
	}
	reason := w.reason()
	if fix := w.guesses.fitting(w.expression, root, guess.jsonPath, ParseJSONPath); fix != "" {
		return fmt.Sprintf("%s; did you mean '%s'?", reason, fix)
	}
	if field, ok := w.endedAt.node.(*jsonpath.FieldNode); ok {
		reason += keyHint(w.ended.node, field.Value)
	}
	return reason
}

func parseJQ(text string) (Expression, error) { return ParseJQ(text, jq.Limits{}) }

func (w *pathWalk) reason() string {
	p, source := w.ended, w.endedAt.source
	switch node := w.endedAt.node.(type) {
	case *jsonpath.FieldNode:
		return fieldHint(p, node.Value)
	case *jsonpath.FilterNode:
		return fmt.Sprintf("no element of %s matches %s", p.describe(), source)
	case *jsonpath.UnionNode:
		return fmt.Sprintf("%s has none of %s", p.describe(), source)
	}
	switch {
	case tree.IsList(p.node):
		return fmt.Sprintf("%s has %s", p.describe(), countElements(p.node))
	case tree.IsMap(p.node):
		return fmt.Sprintf("%s is empty", p.describe())
	}
	return fmt.Sprintf("%s is %s", p.describe(), typed(p.node))
}

func fieldHint(p *place, name string) string {
	switch {
	case tree.IsMap(p.node):
		return noKey(p.describe(), name)
	case tree.IsList(p.node):
		return fmt.Sprintf("%s is a list; the step after it must be an index, a slice or a filter, found %q",
			p.describe(), name)
	}
	return fmt.Sprintf("%s is %s and holds no %q", p.describe(), typed(p.node), name)
}
