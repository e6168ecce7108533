package tree

import (
	"cmp"
	"math/big"
)

// CompareNumbers compares two numbers of Scalar by their exact values: it is negative, zero or
// positive. Other values count as 0.
func CompareNumbers(a, b any) int {
	x, xIsInt := a.(int)
	y, yIsInt := b.(int)
	if xIsInt && yIsInt {
		return cmp.Compare(x, y)
	}
	return rationalOrZero(a).Cmp(rationalOrZero(b))
}

func rationalOrZero(v any) *big.Rat {
	if r := toRational(v); r != nil {
		return r
	}
	return new(big.Rat)
}

// Same tells whether a and b are the same document: the same maps with the same keys in the same
// order, the same lists, scalars of the same text and type, the same anchors, and aliases of the
// same names. It verifies edits of text.
//
// Comments, positions, the style of collections, the quotes of a scalar and the notation of null do
// not count, as long as the type is the same. Aliases are not followed.
func Same(a, b *Node) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.Anchor() != b.Anchor() || len(a.Content) != len(b.Content) {
		return false
	}
	if explicitTag(a) != explicitTag(b) {
		return false
	}
	switch a.Kind {
	case AliasNode:
		return a.Text() == b.Text()
	case ScalarNode:
		if a.text != b.text {
			return Type(a) == Null && Type(b) == Null
		}
		return a.Tag == b.Tag && a.Tag > NonSpecificTag || Type(a) == Type(b)
	}
	for i := range a.Content {
		if !Same(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// explicitTag returns the tag that n was written with, "" for none.
func explicitTag(n *Node) string {
	if n.Style&TaggedStyle == 0 {
		return ""
	}
	return n.TagName()
}
