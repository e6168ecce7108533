package jsonpatch

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// pointer has the segments, unescaped, of a JSON Pointer (https://www.rfc-editor.org/rfc/rfc6901).
// Without segments it names the whole document.
type pointer []string

// UnmarshalText sets p from the text of a pointer.
func (p *pointer) UnmarshalText(text []byte) error {
	s := string(text)
	switch {
	case s != "" && s[0] != '/':
		return fmt.Errorf("must start with \"/\", found %q; did you mean %q?", s, "/"+s)
	case location.BadEscape(s) >= 0:
		return fmt.Errorf("must have %q only as %q or %q, found %q", "~", "~0", "~1", s)
	}
	*p = location.PointerSegments(s)
	return nil
}

func (p pointer) String() string { return location.PointerOf(p...) }

// find returns the value that the first segments of p name; reason says why there is none.
func (p pointer) find(root *tree.Node, count int) (value *tree.Node, reason string) {
	n := tree.Deref(root)
	for i, segment := range p[:count] {
		place := "the object"
		if i > 0 {
			place = strconv.Quote(p[:i].String())
		}
		index, isIndex := location.ListIndex(segment)
		switch child := tree.Lookup(n, segment); {
		case child != nil:
			n = tree.Deref(child)
		case tree.IsMap(n):
			return nil, fmt.Sprintf("%s has no key %q", place, segment) + p.hint(n, i)
		case !tree.IsList(n):
			return nil, fmt.Sprintf("%s is neither a map nor a list, so it has no %q", place, segment)
		case segment == "-" || isIndex && index >= len(n.Content):
			return nil, fmt.Sprintf("%s has no element %q; its length is %d", place, segment, len(n.Content))
		case !isIndex:
			return nil, fmt.Sprintf("%s is a list, and %q is not an index: an index is a number without sign and without leading zeros", place, segment)
		default:
			n = tree.Deref(n.Content[index])
		}
	}
	return n, ""
}

// hint says what to write where the map n does not have the segment at an index.
func (p pointer) hint(n *tree.Node, i int) string {
	if _, ok := hint.FromKustomize(p.String()); ok {
		return "; an index is a segment of its own, as in /spec/containers/0, and a JSON Patch has no filters"
	}
	if key, count := hint.JoinedKey(n, p[i:], "/"); key != "" {
		return fmt.Sprintf("; did you mean %q?", location.PointerOf(slices.Concat(p[:i], pointer{key}, p[i+count:])...))
	}
	return hint.ForKey(n, p[i])
}

// findPlace returns why no value can be added at the pointer, "" if one can.
func (p pointer) findPlace(root *tree.Node) (reason string) {
	last := len(p) - 1
	if last < 0 {
		return ""
	}
	parent, reason := p.find(root, last)
	if reason == "" && last >= tree.MaxDepth {
		return fmt.Sprintf("values must be nested at most %d levels deep", tree.MaxDepth)
	}
	if reason != "" || tree.IsMap(parent) || tree.IsList(parent) && (p[last] == "-" || p[last] == strconv.Itoa(len(parent.Content))) {
		return reason
	}
	_, reason = p.find(root, len(p))
	return reason
}
