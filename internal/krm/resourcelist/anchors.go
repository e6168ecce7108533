package resourcelist

import (
	"bytes"
	"iter"
	"slices"

	"github.com/krm-fields/krm-fields/internal/parallel"
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

// anchorUse tells how the text of an item uses anchors, as far as that is known without parsing it.
type anchorUse struct {
	// mayHave is true if it may have an anchor, mayLack if it may have an alias that names none of
	// its own before it.
	mayHave, mayLack bool
}

func anchorUseOf(item []byte) anchorUse {
	use := anchorUse{mayLack: mayLackAnchor(item)}
	for range places(item, '&') {
		use.mayHave = true
		break
	}
	return use
}

// shareAnchors tells whether an item may name an anchor of another one, so that it does not parse
// alone. It parses the items whose text does not tell.
func shareAnchors(items []piece) bool {
	mayHave := func(p piece) bool { return p.mayHave }
	mayLack := func(p piece) bool { return p.mayLack }
	if !slices.ContainsFunc(items, mayHave) || !slices.ContainsFunc(items, mayLack) {
		return false
	}
	return parallel.Any(len(items), func(i int) bool { return items[i].mayLack && items[i].object.Err() != nil })
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
