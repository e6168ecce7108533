package resourcelist

import (
	"bytes"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// anchorsBefore tells whether an alias outside a node on one of the first lines may name it. An
// alias can't name an anchor behind it, so the tail need not be searched.
func anchorsBefore(n *tree.Node, lines int) bool {
	if n == nil || n.Line() > lines {
		return false
	}
	if n.Anchor() != "" {
		return true
	}
	for _, child := range n.Content {
		if anchorsBefore(child, lines) {
			return true
		}
	}
	return false
}

// mayShareAnchors tells whether a text has what may be anchors and aliases.
func mayShareAnchors(text []byte) bool { return hasNames(text, '&') && hasNames(text, '*') }

// hasNames tells whether the text has names behind an indicator where it may begin a property of a
// node, or an alias.
func hasNames(text []byte, indicator byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(text[at:], indicator)
		if i < 0 || at+i+1 == len(text) {
			return false
		}
		at += i
		if at > 0 && bytes.IndexByte([]byte(" \t\n[{,:"), text[at-1]) >= 0 && isOfName(text[at+1]) {
			return true
		}
	}
}

func isOfName(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}
