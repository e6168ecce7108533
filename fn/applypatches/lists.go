package applypatches

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxIndexes bounds the indexes of one object.
const maxIndexes = 8

// listIndex finds the elements of a list by the values of keys, so that many operations `ensure` on
// a long list do not each scan it.
type listIndex struct {
	location location.Location
	keys     []string
	// length is the length of the list.
	length int
	// byHash has the indices of elements by the hash of the keys' values.
	byHash map[string][]int
}

// indexOf returns the index of the list at the location. Indexes of lists in strings are not
// cached.
func (e *editor) indexOf(l location.Location, elements []*tree.Node) *listIndex {
	j, keys := e.job, e.operation.keys
	for _, x := range j.indexes {
		if !e.isInside && x.length == len(elements) && slices.Equal(x.keys, keys) && slices.Equal(x.location, l) {
			return x
		}
	}
	x := &listIndex{location: l, keys: keys, byHash: make(map[string][]int, len(elements))}
	for _, element := range elements {
		x.add(element)
	}
	if e.isInside {
		return x
	}
	if len(j.indexes) == maxIndexes {
		j.indexes = slices.Delete(j.indexes, 0, 1)
	}
	j.indexes = append(j.indexes, x)
	return x
}

// add adds the next element.
func (x *listIndex) add(element *tree.Node) {
	if hash, ok := hashOf(element, x.keys); ok {
		x.byHash[hash] = append(x.byHash[hash], x.length)
	}
	x.length++
}

// candidates returns the indices of the elements that may have the same values of the keys as
// value.
func (x *listIndex) candidates(value *tree.Node) []int {
	hash, _ := hashOf(value, x.keys)
	return x.byHash[hash]
}

// hashOf returns the same text for maps with equal values of the keys; false if a key is missing.
func hashOf(n *tree.Node, keys []string) (string, bool) {
	var hash strings.Builder
	for _, key := range keys {
		value := tree.Lookup(n, key)
		if value == nil {
			return "", false
		}
		if value.Kind == tree.ScalarNode {
			hash.WriteString(hashOfScalar(tree.Scalar(value)))
		}
		hash.WriteByte(0)
	}
	return hash.String(), true
}

// hashOfScalar returns the same text for numbers of equal value.
func hashOfScalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int:
		return strconv.FormatFloat(float64(v), 'g', -1, 64)
	case *big.Int:
		number, _ := new(big.Float).SetInt(v).Float64()
		return strconv.FormatFloat(number, 'g', -1, 64)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

// invalidate drops the indexes of lists that a change may affect, except those that the operation
// keeps valid.
func (j *job) invalidate(changes []change, kept []*listIndex) {
	j.indexes = slices.DeleteFunc(j.indexes, func(x *listIndex) bool {
		return !slices.Contains(kept, x) && slices.ContainsFunc(changes, func(c change) bool { return c.mayMove(x.location) })
	})
}

// mayMove tells whether a change may affect the value at, or in, the location. A change of a list
// element counts as one of its list, since elements may have moved.
func (c change) mayMove(l location.Location) bool {
	changed := c.location
	if n := len(changed); n > 0 && changed[n-1].IsIndex {
		changed = changed[:n-1]
	}
	shared := min(len(changed), len(l))
	return slices.Equal(changed[:shared], l[:shared])
}
