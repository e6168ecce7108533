package tree

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Value returns the data of n in gojq's types: nil, bool, int, *big.Int, float64, string, []any and
// map[string]any. Aliases and merge keys are resolved; an anchored node with several aliases is
// converted once and shared, so the result must not be changed.
func Value(n *Node) any { return ValueBy(n, Scalar) }

// ValueBy is Value with what a function reads of scalars.
func ValueBy(n *Node, scalar func(*Node) any) any {
	c := converter{scalar: scalar}
	return c.value(n)
}

type converter struct {
	anchored map[*Node]any
	scalar   func(*Node) any
	// key is called with the keys of maps, if it is not nil.
	key func(*Node)
}

func (c *converter) value(n *Node) any {
	n = Deref(n)
	if n == nil {
		return nil
	}
	if n.Anchor() == "" {
		return c.convert(n)
	}
	if v, ok := c.anchored[n]; ok {
		return v
	}
	v := c.convert(n)
	if c.anchored == nil {
		c.anchored = map[*Node]any{}
	}
	c.anchored[n] = v
	return v
}

func (c *converter) convert(n *Node) any {
	switch n.Kind {
	case MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for key, value := range Entries(n) {
			m[key] = c.value(value)
		}
		for i := 0; c.key != nil && i < len(n.Content); i += 2 {
			c.key(n.Content[i])
		}
		return m
	case SequenceNode:
		l := make([]any, len(n.Content))
		for i, element := range n.Content {
			l[i] = c.value(element)
		}
		return l
	}
	return c.scalar(n)
}

// FromValue returns nodes for v, which is made of the types of Value. Map keys are sorted. A value
// of another type is written as null, and invalid UTF-8 as U+FFFD.
func FromValue(v any) *Node {
	switch v := v.(type) {
	case map[string]any:
		n := &Node{Kind: MappingNode, Tag: MapTag}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.Content = append(n.Content, FromValue(key), FromValue(v[key]))
		}
		return n
	case []any:
		n := &Node{Kind: SequenceNode, Tag: ListTag}
		for _, element := range v {
			n.Content = append(n.Content, FromValue(element))
		}
		return n
	case string:
		return NewString(strings.ToValidUTF8(v, "\uFFFD"))
	case bool:
		return NewScalar(BoolTag, strconv.FormatBool(v))
	case int:
		return NewInt(v)
	case int64:
		return newNumber(strconv.FormatInt(v, 10))
	case *big.Int:
		return newNumber(v.String())
	case float64:
		return newFloat(v)
	}
	return NewScalar(NullTag, "null")
}

// newFloat writes a float as JSON does, so that 3.0 stays a whole number. What JSON does not have
// is written as gojq writes it: null, and the largest number for infinity.
func newFloat(f float64) *Node {
	if math.IsNaN(f) {
		return NewScalar(NullTag, "null")
	}
	f = min(max(f, -math.MaxFloat64), math.MaxFloat64)
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 || f == 0 {
		return newNumber(strconv.FormatFloat(f, 'f', -1, 64))
	}
	return newNumber(strconv.FormatFloat(f, 'g', -1, 64))
}

// newNumber returns the node of a number with the tag that YAML resolves it to, so that it is
// written without one.
func newNumber(text string) *Node {
	return NewScalar(plainTag(text), text)
}

// Equal tells whether a and b have the same data. The order of map members does not count, the
// order of list elements does; numbers compare by value.
func Equal(a, b *Node) bool {
	a, b = Deref(a), Deref(b)
	if a == b {
		return true
	}
	if a == nil || b == nil {
		return false
	}
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case MappingNode:
		return equalMaps(a, b)
	case SequenceNode:
		return slices.EqualFunc(a.Content, b.Content, Equal)
	}
	return EqualScalars(Scalar(a), Scalar(b))
}

func equalMaps(a, b *Node) bool {
	members := make(map[string]*Node, len(b.Content)/2)
	for key, value := range Entries(b) {
		members[key] = value
	}
	for key, value := range Entries(a) {
		other, ok := members[key]
		if !ok || !Equal(value, other) {
			return false
		}
		delete(members, key)
	}
	return len(members) == 0
}

// EqualScalars tells whether two values of Scalar are equal; numbers compare by value across their
// types.
func EqualScalars(a, b any) bool {
	if a == b {
		return true
	}
	_, isInt := a.(int)
	if _, areInts := b.(int); areInts && isInt {
		return false
	}
	x, y := toRational(a), toRational(b)
	return x != nil && y != nil && x.Cmp(y) == 0
}

func toRational(v any) *big.Rat {
	switch v := v.(type) {
	case int:
		return new(big.Rat).SetInt64(int64(v))
	case *big.Int:
		return new(big.Rat).SetInt(v)
	case float64:
		return new(big.Rat).SetFloat64(v)
	}
	return nil
}

// Copy returns a deep copy of n without anchors, aliases and positions; copies of their values
// replace aliases and merge keys.
func Copy(n *Node) *Node {
	n = Deref(n)
	if n == nil {
		return nil
	}
	c := n.Bare()
	if comment := n.Comment(); comment != "" {
		c.change(func(e *extra) { e.comment = comment })
	}
	if n.Kind == MappingNode && HasMerge(n) {
		for key, value := range Entries(n) {
			c.Content = append(c.Content, NewString(key), Copy(value))
		}
		return c
	}
	for _, child := range n.Content {
		c.Content = append(c.Content, Copy(child))
	}
	return c
}
