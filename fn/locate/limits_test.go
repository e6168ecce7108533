package locate

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/tree"
)

func mapOf(key string, value *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{tree.NewString(key), value}}
}

func listOf(count int, element *yaml.Node) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for range count {
		list.Content = append(list.Content, element)
	}
	return list
}

// bomb is a list of lists of lists… with 10 to the power of 10 strings.
func bomb() *yaml.Node {
	n := tree.NewString("x")
	for range 10 {
		n = listOf(10, n)
	}
	return mapOf("l", n)
}

// knot is a map that holds itself.
func knot() *yaml.Node {
	m := mapOf("self", nil)
	m.Content[1] = m
	return m
}

func TestResolvingIsBounded(t *testing.T) {
	parse := func(dialect, expression string) Expression {
		parser := ParseJSONPath
		if dialect == JSONPointer {
			parser = ParseJSONPointer
		}
		parsed, err := parser(expression)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	long := mapOf("l", listOf(maxLocations+1, tree.NewString("x")))
	for _, test := range []struct {
		dialect, expression string
		root                *yaml.Node
		cause               string
	}{
		{JSONPath, "..x", bomb(), "must look at no more than 10000000 map members and list elements"},
		{JSONPath, "..x..y", bomb(), "must look at no more than 10000000 map members and list elements"},
		{JSONPath, ".l[?(@.a)]" + strings.Repeat("[*]", 9), bomb(), ""},
		{JSONPath, ".l" + strings.Repeat("[*]", 5) + "[?(@..x)]", bomb(),
			"must look at no more than 10000000 map members and list elements"},
		{JSONPath, ".l" + strings.Repeat("[*]", 9), bomb(),
			"must look at no more than 10000000 map members and list elements"},
		{JSONPath, ".l[*]", long, "must find no more than 262144 fields"},
		{JSONPath, "...*", long, "must find no more than 262144 fields"},
		{JSONPath, "..x", knot(), "must go no deeper than 10000 levels"},
		{JSONPointer, "/l" + strings.Repeat("/*", 9) + "/x", bomb(),
			"must look at no more than 10000000 map members and list elements"},
		{JSONPointer, "/l/*", long, "must find no more than 262144 fields"},
	} {
		want := ""
		if test.cause != "" {
			want = (&RuntimeError{Dialect: test.dialect, Expression: test.expression, Cause: test.cause}).Error()
		}
		got := ""
		if _, err := parse(test.dialect, test.expression).Locate(&Input{Root: test.root}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s %s: got error %q, want %q", test.dialect, test.expression, got, want)
		}
	}
}

func TestPathResolvingIsBounded(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{"/l[*][*][*][*]/a", ""},
		{"/l[*][*][*][*][*]", "path '/l[*][*][*][*][*]': must name no more than 65536 places"},
		{
			"/l[*][*][*][*][?(@.a)]",
			"path '/l[*][*][*][*][?(@.a)]': [?(@.a)] must select an element of l[0][0][0][0], " +
				"which has 10 elements and none that matches",
		},
	} {
		path, err := ParsePath(test.path)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := path.Resolve(bomb()); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: got error %q, want %q", test.path, got, test.want)
		}
	}
	path, err := ParsePath("/l[*][?(@.a)]")
	if err != nil {
		t.Fatal(err)
	}
	root := mapOf("l", listOf(2_000, listOf(1_000, tree.NewString("x"))))
	const want = "path '/l[*][?(@.a)]': must look at no more than 10000000 map members and list elements"
	if _, err := path.Resolve(root); err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

// TestRecursiveDescentIsLinear compares the work for an object with that for
// one ten times as large.
func TestRecursiveDescentIsLinear(t *testing.T) {
	work := func(expression string, elements int) int {
		path, err := parseJSONPath(expression)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for i := range elements {
			fmt.Fprintf(&text, "- {name: n%d, spec: {name: m, items: [{name: i}]}}\n", i)
		}
		root := &place{node: parseYAML(t, "l:\n"+text.String())}
		b := newBudget()
		found, err := newPathWalk(expression, path.steps, b).walk([]*place{root}, path.steps)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: found %d, error %v", expression, len(found), err)
		}
		return maxWork - b.left
	}
	for _, expression := range []string{`..name`, `..spec..name`, `...*..name`, `..l..items..name`} {
		small, large := work(expression, 200), work(expression, 2000)
		if large > 11*small {
			t.Errorf("%s: work %d for 200 elements, %d for 2000", expression, small, large)
		}
	}
}

func TestRepeatedDescentFindsEachPlaceOnce(t *testing.T) {
	n := tree.NewString("x")
	const depth = 500
	for range depth {
		n = mapOf("a", n)
	}
	path, err := ParseJSONPath(`..a..a..a`)
	if err != nil {
		t.Fatal(err)
	}
	found, err := path.Locate(&Input{Root: n})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Locations) != depth-2 {
		t.Errorf("found %d locations, want %d", len(found.Locations), depth-2)
	}
	if got := len(Outermost(found.Locations)); got != 1 {
		t.Errorf("found %d outermost locations, want 1", got)
	}
	seen := map[string]bool{}
	for _, l := range found.Locations {
		if seen[l.Pointer()] {
			t.Errorf("found %s twice", l)
		}
		seen[l.Pointer()] = true
	}
}
