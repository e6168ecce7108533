package resourcelist

import (
	"bytes"
	"iter"
	"slices"

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

// mayShareAnchors tells whether an item of a cut list may have an alias of an anchor elsewhere.
func (l *List) mayShareAnchors() bool {
	cut, ok := l.layout.(*cutList)
	return ok && slices.ContainsFunc(cut.items, func(p piece) bool { return hasOthersAlias(p.text) })
}

// hasOthersAlias tells whether a text may have an alias of an anchor that it has not itself.
func hasOthersAlias(text []byte) bool {
	var anchors map[string]bool
	for alias := range names(text, '*') {
		if anchors == nil {
			anchors = map[string]bool{}
			for anchor := range names(text, '&') {
				anchors[anchor] = true
			}
		}
		if !anchors[alias] {
			return true
		}
	}
	return false
}

// names yields the names behind an indicator where it may begin a property of a node, or an alias.
func names(text []byte, indicator byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; ; at++ {
			i := bytes.IndexByte(text[at:], indicator)
			if i < 0 {
				return
			}
			at += i
			end := at + 1
			for end < len(text) && isOfName(text[end]) {
				end++
			}
			if end > at+1 && at > 0 && bytes.IndexByte([]byte(" \t\n[{,:"), text[at-1]) >= 0 && !yield(string(text[at+1:end])) {
				return
			}
		}
	}
}

func isOfName(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}
