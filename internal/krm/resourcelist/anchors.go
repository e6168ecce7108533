package resourcelist

import (
	"bytes"
	"iter"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/parallel"
)

// anchorsBefore tells whether an alias outside a node on one of the first lines may name it. An
// alias can't name an anchor behind it, so the tail need not be searched.
func anchorsBefore(n *yaml.Node, lines int) bool {
	if n == nil || n.Line > lines {
		return false
	}
	if n.Anchor != "" {
		return true
	}
	for _, child := range n.Content {
		if anchorsBefore(child, lines) {
			return true
		}
	}
	return false
}

// hasAnchors tells whether an item may have an anchor, so that another one may not parse alone. It
// does not parse them. Those of a list in JSON have none.
func (l *List) hasAnchors() bool {
	return parallel.Any(len(l.Items), func(i int) bool {
		if l.Items[i].IsJSON() {
			return false
		}
		for range places(l.Items[i].Source(), '&') {
			return true
		}
		return false
	})
}

// hasOwnAnchors tells whether no item names an anchor of another item. It looks for both by their
// text, and parses the items for which that is not enough.
func (l *List) hasOwnAnchors() bool {
	return parallel.Each(len(l.Items), func(i int) error {
		if !mayLackAnchor(l.Items[i].Source()) {
			return nil
		}
		return l.Items[i].Err()
	}) == nil
}

// mayLackAnchor tells whether an item may have an alias that names no anchor before it.
func mayLackAnchor(item []byte) bool {
	anchors, known := map[string]bool{}, 0
	for at := range places(item, '*') {
		name := nameAt(item[at+1:])
		if len(name) == 0 {
			continue
		}
		for i := range places(item[known:at], '&') {
			anchors[string(nameAt(item[known+i+1:]))] = true
		}
		if known = at; !anchors[string(name)] {
			return true
		}
	}
	return false
}

// places are the offsets of an indicator where it may begin a property of a node, or an alias.
func places(text []byte, indicator byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; at++ {
			i := bytes.IndexByte(text[at:], indicator)
			if i < 0 {
				return
			}
			at += i
			if at > 0 && bytes.IndexByte([]byte(" \t\n[{,:"), text[at-1]) >= 0 && !yield(at) {
				return
			}
		}
	}
}

// nameAt returns the name of an anchor at the start of the text; "" for none.
func nameAt(text []byte) []byte {
	end := bytes.IndexFunc(text, func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '_' && c != '-'
	})
	if end >= 0 {
		return text[:end]
	}
	return text
}
