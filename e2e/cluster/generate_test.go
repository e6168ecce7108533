package cluster

import "math/rand/v2"

// A node is a random value: one of the types below, or a fixed value. Maps and lists may contain
// nodes.
type node any

// A choice is one of several values.
type choice []node

// A maybe is present or not.
type maybe struct{ node }

// A some is a list of some of its elements, at least one, in any order.
type some []node

func one(nodes ...node) node { return choice(nodes) }

func opt(nodes ...node) node { return maybe{one(nodes...)} }

// object is a map that contains nodes.
type object = map[string]any

// generate returns a value. The second result is false if it is left out.
func generate(r *rand.Rand, n node) (any, bool) {
	switch n := n.(type) {
	case choice:
		return generate(r, n[r.IntN(len(n))])
	case maybe:
		if r.IntN(5) < 2 {
			return nil, false
		}
		return generate(r, n.node)
	case some:
		return generateSome(r, n), true
	case []any:
		return generateAll(r, n), true
	case object:
		out := object{}
		for _, key := range sortedKeys(n) {
			if value, ok := generate(r, n[key]); ok {
				out[key] = value
			}
		}
		return out, true
	}
	return n, true
}

func generateAll(r *rand.Rand, nodes []any) []any {
	out := []any{}
	for _, n := range nodes {
		if value, ok := generate(r, n); ok {
			out = append(out, value)
		}
	}
	return out
}

func generateSome(r *rand.Rand, nodes some) []any {
	picked := r.Perm(len(nodes))[:1+r.IntN(len(nodes))]
	out := []any{}
	for _, i := range picked {
		if value, ok := generate(r, nodes[i]); ok {
			out = append(out, value)
		}
	}
	return out
}
