package locate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/fn/tree"
)

// canJoin tells whether two names follow each other somewhere in the steps.
func canJoin(steps []jsonStep) bool {
	for i, step := range steps {
		if leadingFields(steps[i:]) > 1 {
			return true
		}
		for _, member := range step.members {
			if canJoin(member) {
				return true
			}
		}
	}
	return false
}

// leadingFields counts the fields that the steps begin with.
func leadingFields(steps []jsonStep) int {
	for i, step := range steps {
		if step.node.Type() != jsonpath.NodeField {
			return i
		}
	}
	return len(steps)
}

func fieldNames(steps []jsonStep) []string {
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = step.node.(*jsonpath.FieldNode).Value
	}
	return names
}

// joined returns the first place that the names lead to from p, joined with
// dots as the keys there have it, the longest key first. The names that lead to
// a place are those before it in one text, so that no place is tried twice.
func (w *pathWalk) joined(p *place, names []string) ([]*place, error) {
	if len(names) == 0 {
		return []*place{p}, nil
	}
	if !w.budget.spend(members(p.node)) {
		return nil, w.fail(tooMuchWork)
	}
	for _, count := range joinedKeys(p.node, names, ".") {
		key := strings.Join(names[:count], ".")
		c, err := w.child(p, Key(key), tree.Lookup(p.node, key), spellField(p.spelling, key))
		if err != nil {
			return nil, err
		}
		if found, err := w.joined(c, names[count:]); err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

// spellField returns the path extended by the key as one name.
func spellField(path, key string) string {
	first, _ := utf8.DecodeRuneInString(key)
	switch {
	case key == "":
		return path + "['']"
	case strings.HasSuffix(path, "..") && (first == '_' || unicode.IsLetter(first) || unicode.IsDigit(first)):
		return path + escapeField(key)
	}
	return path + "." + escapeField(key)
}

// quoteMember returns the spelling of a union's path as the union has it, in
// quotes, or the path as written where quotes can't hold it.
func quoteMember(spelling, written string) string {
	name := strings.TrimPrefix(spelling, ".")
	if strings.ContainsAny(name, "',]") {
		return written
	}
	return "'" + name + "'"
}

// escapeField escapes what client-go's parser takes for the end of a name.
func escapeField(key string) string {
	if key == "*" {
		return `\*`
	}
	var b strings.Builder
	for _, r := range key {
		if endsName(r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// endsName tells whether the character ends a name that it is not escaped in.
func endsName(r rune) bool { return strings.ContainsRune(" \t\r\n.,[]$@{}", r) }
