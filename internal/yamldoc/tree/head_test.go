package tree

import (
	"fmt"
	"testing"
)

func TestParseHead(t *testing.T) {
	manyKeys := ""
	for i := range maxSkimmedKeys {
		manyKeys += fmt.Sprintf("k%d: 1, ", i)
	}
	for _, test := range []struct {
		name, text string
		depth      int
		want       bool
	}{
		{"a document", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ndata: {a: b}\n", 1, true},
		{"an item", "- apiVersion: v1\n  metadata:\n    labels: {a: b}\n  spec:\n    a: [b, {c: d}]\n    e:\n    - f: |\n        g\n", 2, true},
		{"every kind of scalar", "a:\n  b: 'c\n    d'\n  e: \"\\n\"\n  f: g\n    h\n  i: >-\n    j\n  k:\n", 1, true},
		{"a long map", "a: {b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1, k: 1, l: 1, m: 1, n: 1, o: 1, p: 1, q: 1, r: 1}\n", 1, true},
		{"too many keys", "spec: {" + manyKeys + "last: 1}\n", 1, false},
		{"an anchor", "metadata: &a {b: c}\nspec: *a\n", 1, false},
		{"the same key twice", "spec:\n  a:\n    b: c\n  d: e\n  a: f\n", 1, false},
		{"the same key twice in a flow map", "spec: {a: {b: c}, d: e, a: f}\n", 1, false},
		{"the same member twice", "spec: a\nspec: b\n", 1, false},
		{"a merge key", "spec:\n  <<: {a: b}\n", 1, false},
		{"a merge key of the object", "<<: {a: b}\n", 1, false},
		{"a tag", "spec: !!str a\n", 1, false},
		{"a syntax error", "spec: {a: b\n", 1, false},
		{"a second line behind a flow map", "spec:\n  a: {b: c}\n   d\n", 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := checkHead(t, test.text, test.depth); got != test.want {
				t.Errorf("ParseHead takes the text: %v, want %v", got, test.want)
			}
		})
	}
}

// checkHead fails the test where ParseHead takes text that Parse refuses, or reads it differently.
// It tells whether ParseHead takes it.
func checkHead(t *testing.T, text string, depth int) bool {
	t.Helper()
	memory := NewMemory()
	defer memory.Free()
	got := memory.ParseHead([]byte(text), depth)
	if got == nil {
		return false
	}
	whole, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("ParseHead took what Parse refuses: %v\n%s", err, text)
	}
	if want := withoutMembers(whole, depth); !(comparison{}).identical(want, got) {
		t.Fatalf("ParseHead at depth %d and Parse differ\n%s", depth, text)
	}
	return true
}

// withoutMembers replaces the members of block maps at a depth that are not in a head.
func withoutMembers(n *Node, depth int) *Node {
	c := *n
	c.Content = nil
	for i, child := range n.Content {
		isMember := depth == 1 && n.Kind == MappingNode && n.Style&FlowStyle == 0
		switch {
		case !isMember:
			child = withoutMembers(child, depth-1)
		case i%2 == 1 && !isInHead(n.Content[i-1].Text()):
			child = unread
		}
		c.Content = append(c.Content, child)
	}
	return &c
}
