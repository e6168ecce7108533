package jsonpatch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// pointer is a JSON Pointer (https://www.rfc-editor.org/rfc/rfc6901). Without segments it names the
// whole document.
type pointer struct {
	text     string
	segments []string // unescaped
}

// parsePointer parses a JSON Pointer; fault says why text is none.
func parsePointer(text string) (p pointer, fault string) {
	if text == "" {
		return pointer{}, ""
	}
	if text[0] != '/' {
		return pointer{}, fmt.Sprintf("must start with \"/\", found %q; did you mean %q?", text, "/"+text)
	}
	if location.BadEscape(text) >= 0 {
		return pointer{}, fmt.Sprintf("must have %q only as %q or %q, found %q", "~", "~0", "~1", text)
	}
	return pointer{text: text, segments: location.PointerSegments(text)}, ""
}

// isAbove tells whether p leads to the place of another pointer or to one above it.
func (p pointer) isAbove(other pointer) bool {
	return len(p.segments) <= len(other.segments) && slices.Equal(p.segments, other.segments[:len(p.segments)])
}

// upTo names the first count segments in messages: `"/spec/template"`.
func (p pointer) upTo(count int) string {
	if count == 0 {
		return "the object"
	}
	at := 0
	for range count {
		at += 1 + strings.IndexByte(p.text[at+1:]+"/", '/')
	}
	return strconv.Quote(p.text[:at])
}

// find returns the value that the first segments of p name; reason says why there is none.
func (p pointer) find(root *tree.Node, count int) (value *tree.Node, reason string) {
	n := tree.Deref(root)
	for i, segment := range p.segments[:count] {
		switch n.Kind {
		case tree.MappingNode:
			child := tree.Lookup(n, segment)
			if child == nil {
				return nil, fmt.Sprintf("%s has no key %q", p.upTo(i), segment) + hint.ForKey(n, segment)
			}
			n = tree.Deref(child)
		case tree.SequenceNode:
			index, reason := p.index(n, i)
			if reason == "" && index == len(n.Content) {
				reason = p.beyond(n, i)
			}
			if reason != "" {
				return nil, reason
			}
			n = tree.Deref(n.Content[index])
		default:
			return nil, p.noCollection(i)
		}
	}
	return n, ""
}

func (p pointer) noCollection(i int) string {
	return fmt.Sprintf("%s is neither a map nor a list, so it has no %q", p.upTo(i), p.segments[i])
}

// index returns the index in the list n that the segment i names, which may be the one behind the
// last element.
func (p pointer) index(n *tree.Node, i int) (index int, reason string) {
	segment := p.segments[i]
	if segment == "-" {
		return len(n.Content), ""
	}
	index, isIndex := location.ListIndex(segment)
	if !isIndex {
		return 0, fmt.Sprintf("%s is a list, and %q is not an index: an index is a number without sign and without leading zeros",
			p.upTo(i), segment)
	}
	if index > len(n.Content) {
		return 0, p.beyond(n, i)
	}
	return index, ""
}

func (p pointer) beyond(n *tree.Node, i int) string {
	return fmt.Sprintf("%s has no element %q; its length is %d", p.upTo(i), p.segments[i], len(n.Content))
}
