package hint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxKeys is the number of keys up to which a map is searched for one that looks like a misspelt
// key.
const maxKeys = 1000

// Nearest returns the key of the map m that the writer of key may have meant; false if none is
// near.
func Nearest(m *tree.Node, key string) (string, bool) {
	if m = tree.Deref(m); m != nil && len(m.Content) > 2*maxKeys {
		return "", false
	}
	prefix, _, hasPrefix := cutPrefix(key)
	var names []string
	for k := range tree.Entries(m) {
		if p, name, has := cutPrefix(k); has == hasPrefix && p == prefix {
			names = append(names, name)
		}
	}
	_, name, _ := cutPrefix(key)
	near, ok := words.Nearest(name, names)
	return prefix + near, ok
}

// cutPrefix cuts a key such as prometheus.io/port behind its slash: keys with the same prefix are
// not near each other for that.
func cutPrefix(key string) (prefix, name string, found bool) {
	i := strings.LastIndexByte(key, '/')
	return key[:i+1], key[i+1:], i >= 0
}

// ForKey returns a hint for a key that the map m does not have: to leave out items, or the nearest
// key of m; "" for none.
func ForKey(m *tree.Node, key string) string {
	if key == "items" && tree.GetString(m, "kind") != "" {
		return "; a rule applies to each object of a list by itself, so leave out items"
	}
	if nearest, ok := Nearest(m, key); ok {
		return fmt.Sprintf("; did you mean %q?", nearest)
	}
	return ""
}

// Joined returns, longest first, how many of the leading names, joined with the separator, are a
// key of the map m.
func Joined(m *tree.Node, names []string, separator string) []int {
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

// JoinedKey returns the longest key of the map m that is several of the leading names, joined with
// the separator, and how many; "" for none, and for a large map.
func JoinedKey(m *tree.Node, names []string, separator string) (key string, count int) {
	if m = tree.Deref(m); m != nil && len(m.Content) > 2*maxKeys {
		return "", 0
	}
	counts := Joined(m, names, separator)
	if len(counts) == 0 || counts[0] < 2 {
		return "", 0
	}
	return strings.Join(names[:counts[0]], separator), counts[0]
}

// HasNamed tells whether an element of a list has a name.
func HasNamed(list *tree.Node, name string) bool {
	return slices.ContainsFunc(list.Content, func(e *tree.Node) bool { return tree.GetString(e, "name") == name })
}

// LookupWork is the work of looking a key up in n, as the number of members that are looked at.
func LookupWork(n *tree.Node) int {
	if n == nil {
		return 1
	}
	return len(n.Content)/2 + 1
}
