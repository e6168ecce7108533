package golden

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Parse returns the root of the text.
func Parse(t testing.TB, text string) *tree.Node {
	t.Helper()
	root, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Pointers returns the locations as JSON Pointers, in their order.
func Pointers(locations []location.Location) []string {
	return lists.Map(locations, location.Location.Pointer)
}

// Bomb is a map whose member l is a list of lists of lists… with 10 to the power of 10 strings.
func Bomb() *tree.Node {
	n := tree.NewString("x")
	for range 10 {
		n = ListOf(10, n)
	}
	return MapOf("l", n)
}

// Knot is a map that holds itself.
func Knot() *tree.Node {
	m := MapOf("self", nil)
	m.Content[1] = m
	return m
}

// MapOf is a map with one member.
func MapOf(key string, value *tree.Node) *tree.Node {
	return &tree.Node{Kind: tree.MappingNode, Content: []*tree.Node{tree.NewString(key), value}}
}

// ListOf is a list of the same element, many times over.
func ListOf(count int, element *tree.Node) *tree.Node {
	list := &tree.Node{Kind: tree.SequenceNode}
	for range count {
		list.Content = append(list.Content, element)
	}
	return list
}
