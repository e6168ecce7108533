package locate

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/fn/tree"
	"github.com/krm-fields/krm-fields/fn/words"
)

// maxHintKeys is the number of keys up to which a map is searched for one that
// looks like a misspelt key.
const maxHintKeys = 1000

// nearestKey returns the key of the map m that the writer of key may have
// meant; false where none is near.
func nearestKey(m *yaml.Node, key string) (string, bool) {
	var keys []string
	for k := range tree.Entries(m) {
		if keys = append(keys, k); len(keys) > maxHintKeys {
			return "", false
		}
	}
	return words.Nearest(key, keys)
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

// noKey says that the map m, which messages call place, has no such key, and
// which key is nearest; spell writes that key in a path of the dialect.
func noKey(m *yaml.Node, place, key string, spell func(key string) string) string {
	hint := fmt.Sprintf("%s has no key %q", place, key)
	if nearest, ok := nearestKey(m, key); ok {
		hint += fmt.Sprintf(`; did you mean "%s"?`, spell(nearest))
	}
	return hint
}

// hint says why the pointer, which finds nothing below the location ended, does
// so, and what to write instead where that can be known.
func (p *pointer) hint(root *yaml.Node, ended Location) string {
	if fix := p.slashFix(root, ended); fix != "" {
		return fmt.Sprintf(`did you mean "%s"?`, fix)
	}
	n, segment, place := At(root, ended), p.segments[len(ended)], quotePointer(ended)
	switch {
	case tree.IsList(n):
		return listHint(n, place, segment)
	case segment == "*" && tree.IsMap(n):
		return fmt.Sprintf(`"*" stands for the elements of a list, and %s is a map; for its members write the jsonPath '%s'`,
			place, p.membersPath(ended))
	case segment == "*":
		return fmt.Sprintf(`"*" stands for the elements of a list, and %s is %s`, place, typed(n))
	case tree.IsMap(n):
		return noKey(n, place, segment, func(key string) string { return p.with(len(ended), 1, key) })
	}
	return fmt.Sprintf("%s is %s and holds no %q", place, typed(n), segment)
}

// membersPath returns the pointer as a JSONPath, with `.*` for each `*` that is
// not known to stand on a list; ended is how far the pointer leads.
func (p *pointer) membersPath(ended Location) string {
	path := ""
	for i, segment := range p.segments {
		_, isIndex := listIndex(segment)
		onList := i < len(ended) && ended[i].IsIndex
		switch {
		case onList || isIndex && i >= len(ended):
			path += "[" + segment + "]"
		case segment == "*" && i >= len(ended):
			path += ".*"
		default:
			path = spellField(path, segment)
		}
	}
	return path
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
	found := Found{Hint: w.hint()}
	if w.ended != nil {
		found.Depth = len(w.ended.location())
	}
	return found
}

// hint says where the path ended.
func (w *pathWalk) hint() string {
	if w.ended == nil {
		return ""
	}
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
		return noKey(p.node, p.describe(), name, func(key string) string {
			return strings.TrimPrefix(spellField("", key), ".")
		})
	case tree.IsList(p.node):
		return fmt.Sprintf("%s is a list; the step after it must be an index, a slice or a filter, found %q",
			p.describe(), name)
	}
	return fmt.Sprintf("%s is %s and holds no %q", p.describe(), typed(p.node), name)
}
