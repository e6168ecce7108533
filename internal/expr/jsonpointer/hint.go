package jsonpointer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// hint says why the pointer, which finds nothing below the location ended, does so, and what to
// write instead where that can be known.
func (p *pointer) hint(in *dialect.Input, ended, missing location.Location) string {
	if fix := p.slashFix(in.Root, ended); fix != "" {
		return fmt.Sprintf(`did you mean "%s"?`, fix)
	}
	if fix := hint.Several(p.expression, "/"); fix != "" {
		return fix
	}
	if path, ok := hint.FromKustomize(p.expression); ok {
		if pointer := path.Pointer(); pointer != "" {
			return fmt.Sprintf(`did you mean "%s"? An index is a segment of its own`, pointer)
		}
		return fmt.Sprintf("write '%s' under %s", jsonpath.Write(path), jsonpath.Dialect.Field)
	}
	for _, other := range []string{strings.TrimSuffix(p.expression, "/"), strings.ReplaceAll(p.expression, ".", "/")} {
		if other != p.expression && finds(in, other) {
			return fmt.Sprintf("did you mean %q?", other)
		}
	}
	return p.reason(in, ended, missing)
}

// finds tells whether a pointer of keys leads to something in an object.
func finds(in *dialect.Input, text string) bool {
	n := tree.Deref(in.Root)
	for _, segment := range location.PointerSegments(text) {
		if i, isIndex := location.ListIndex(segment); tree.IsList(n) && isIndex && i < len(n.Content) {
			n = n.Content[i]
		} else {
			n = in.Lookup(n, segment)
		}
		if n = tree.Deref(n); n == nil {
			return false
		}
	}
	return true
}

// reason says why the pointer finds nothing below the location ended.
func (p *pointer) reason(in *dialect.Input, ended, missing location.Location) string {
	n, segment, place := location.At(in.Root, ended), p.segments[len(ended)], quotePointer(ended)
	_, isIndex := location.ListIndex(segment)
	switch {
	case tree.IsList(n) && (isIndex || segment == "*"):
		return fmt.Sprintf("%s has %s", place, words.Count(len(n.Content), "element"))
	case tree.IsList(n):
		reason := fmt.Sprintf(`%s is a list; the segment after it must be an index or "*", found %q`, place, segment)
		if hint.HasNamed(n, segment) {
			reason += fmt.Sprintf(`; a JSONPath selects the element by [?(@.name==%q)]`, segment)
		}
		return reason
	case segment == "*" && missing != nil:
		return fmt.Sprintf(`"*" selects the elements of a list, but %s is a map, whose members a jsonPath selects by .*`, place)
	case segment == "*":
		return fmt.Sprintf(`"*" selects the elements of a list, but %s is %s`, place, tree.Typed(n))
	case missing != nil:
		return dialect.Lacks(in, n, place, missing)
	}
	reason := fmt.Sprintf("%s is %s and has no %q", place, tree.Typed(n), segment)
	if rest := p.segments[len(ended):]; dialect.MayHold(n, segment) {
		reason += fmt.Sprintf("; for a field of the document in that string, write within: {jsonPointers: [%s]} and jsonPointers: [%q]",
			place, location.PointerOf(rest...))
	}
	return reason
}

// slashFix returns the pointer with its unescaped slashes escaped, where that names a key that
// exists on the way, or may be one of an annotation or a label; "" otherwise.
func (p *pointer) slashFix(root *tree.Node, ended location.Location) string {
	for depth := range min(len(ended)+1, len(p.segments)-1) { // of two segments and more
		if key, count := hint.JoinedKey(location.At(root, ended[:depth]), p.segments[depth:], "/"); key != "" {
			end := depth + count
			return location.PointerOf(slices.Concat(p.segments[:depth], []string{key}, p.segments[end:])...)
		}
	}
	for i := 2; i+1 < len(p.segments); i++ { // the values in these maps are strings
		key := strings.Join(p.segments[i:], "/")
		if name := p.segments[i-1]; p.segments[i-2] == "metadata" && (name == "annotations" || name == "labels") && isQualified(key) {
			return location.PointerOf(slices.Concat(p.segments[:i], []string{key})...)
		}
	}
	return ""
}

func isQualified(key string) bool { return len(validation.IsQualifiedName(strings.ToLower(key))) == 0 }

// quotePointer names a location in the messages about JSON Pointers.
func quotePointer(l location.Location) string {
	if len(l) == 0 {
		return "the object"
	}
	return strconv.Quote(l.Pointer())
}
