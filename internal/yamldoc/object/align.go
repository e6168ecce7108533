package object

import (
	"slices"
	"strconv"

	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxPairs is the number of pairs of elements up to which the best alignment of two lists is
// computed; beyond it, elements are paired by index.
const maxPairs = 1 << 16

// Weights of a pair in an alignment. A pair without anything in common still counts as an element
// changed in place.
const (
	pairWeight   = 1
	commonWeight = 8
)

// align pairs the elements of two lists: for each one of now it returns the index of the element of
// old that it replaces, or -1. Pairs are in the order of both lists, and have as much as possible
// in common.
func align(old, now []*tree.Node) []int {
	pairs := make([]int, len(now))
	for i := range pairs {
		pairs[i] = -1
	}
	head := 0
	for head < min(len(old), len(now)) && tree.Equal(old[head], now[head]) {
		pairs[head] = head
		head++
	}
	tail := 0
	for tail < min(len(old), len(now))-head && tree.Equal(old[len(old)-1-tail], now[len(now)-1-tail]) {
		tail++
		pairs[len(now)-tail] = len(old) - tail
	}
	between := pairsBetween(old[head:len(old)-tail], now[head:len(now)-tail])
	for i, pair := range between {
		if pair >= 0 {
			pairs[head+i] = head + pair
		}
	}
	if len(old) == len(now) {
		pairByIndex(pairs, old, now)
	}
	return pairs
}

// pairByIndex pairs collections at the same index that have no pair, unless they have other names.
// So their comments stay where most of their scalars change.
func pairByIndex(pairs []int, old, now []*tree.Node) {
	last := -1
	for i, pair := range pairs {
		isPaired := func(pair int) bool { return pair >= 0 }
		next := slices.IndexFunc(pairs[i+1:], isPaired)
		isFree := pair < 0 && last < i && (next < 0 || pairs[i+1+next] > i)
		before, after := tree.Deref(old[i]), tree.Deref(now[i])
		if isFree && before.Kind == after.Kind && before.Kind != tree.ScalarNode && tree.Equal(tree.Lookup(before, "name"), tree.Lookup(after, "name")) {
			pairs[i] = i
		}
		last = max(last, pairs[i])
	}
}

// pairsBetween is align for lists that begin and end with different elements.
func pairsBetween(old, now []*tree.Node) []int {
	pairs := make([]int, len(now))
	if len(old)*len(now) > maxPairs {
		for i := range pairs {
			pairs[i] = i
			if i >= len(old) {
				pairs[i] = -1
			}
		}
		return pairs
	}
	weights, best := weighPairs(old, now)
	i := 0
	for j := range pairs {
		for i < len(old) && best[i][j] == best[i+1][j] {
			i++
		}
		pairs[j] = -1
		if i < len(old) && weights[i][j] > 0 && best[i][j] == weights[i][j]+best[i+1][j+1] {
			pairs[j] = i
			i++
		}
	}
	return pairs
}

// weighPairs returns the weight of each pair, 0 for an invalid one, and the weight of the best
// alignment of old[i:] and now[j:].
func weighPairs(old, now []*tree.Node) (weights, best [][]int) {
	factsOf := func(list []*tree.Node) []map[string]bool {
		all := make([]map[string]bool, len(list))
		for i, n := range list {
			all[i] = map[string]bool{}
			addFacts(all[i], n, "", "")
		}
		return all
	}
	inOld, inNow := factsOf(old), factsOf(now)
	weights, best = make([][]int, len(old)), make([][]int, len(old)+1)
	for i := range best {
		best[i] = make([]int, len(now)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		weights[i] = make([]int, len(now))
		for j := len(now) - 1; j >= 0; j-- {
			weights[i][j] = weight(old[i], now[j], inOld[i], inNow[j])
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if weights[i][j] > 0 {
				best[i][j] = max(best[i][j], weights[i][j]+best[i+1][j+1])
			}
		}
	}
	return weights, best
}

// weight returns the weight of a pair with its facts. Two collections pair only if at least half of
// one is in the other, both have the same name, or one is an edited copy of the other.
func weight(old, now *tree.Node, inOld, inNow map[string]bool) int {
	old, now = tree.Deref(old), tree.Deref(now)
	if old.Kind != now.Kind {
		return 0
	}
	common, size := 0, max(len(inOld), len(inNow))
	for fact := range inOld {
		if inNow[fact] {
			common++
		}
	}
	if old.Kind != tree.ScalarNode && (isEditedCopy(now, old) || hasSameName(now, old)) {
		common += size
	}
	if old.Kind != tree.ScalarNode && 2*common < size {
		return 0
	}
	return pairWeight + commonWeight*common
}

// addFacts adds the places and values of the scalars in n, in lists with their indices and without
// them, since an element that comes in moves the others.
func addFacts(facts map[string]bool, n *tree.Node, path, anywhere string) {
	n = tree.Deref(n)
	if n.Kind == tree.ScalarNode {
		text := "=" + listkey.Text(tree.Scalar(n))
		facts[path+text], facts[anywhere+text] = true, true
	}
	for key, value := range tree.Entries(n) {
		addFacts(facts, value, path+"."+key, anywhere+"."+key)
	}
	for i, element := range tree.Elements(n) {
		addFacts(facts, element, path+"["+strconv.Itoa(i), anywhere+"[")
	}
}

// isEditedCopy tells whether a collection has the very nodes of another one, as copies do, in the
// same places from the beginning or from the end.
func isEditedCopy(now, old *tree.Node) bool {
	inNow, inOld := now.Content, old.Content
	for i := range min(len(inNow), len(inOld)) {
		if inNow[i] == inOld[i] || inNow[len(inNow)-1-i] == inOld[len(inOld)-1-i] {
			return true
		}
	}
	return false
}

func hasSameName(now, old *tree.Node) bool {
	name := tree.Get(old, "name")
	return name != nil && tree.Equal(name, tree.Get(now, "name"))
}
