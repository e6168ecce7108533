package patchpath

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/exprtest"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func TestResolvingIsBounded(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{"/l[*][*][*][*]/a", ""},
		{"/l[*][*][*][*][*]", "path '/l[*][*][*][*][*]': must select at most 65536 locations"},
		{
			"/l[*][*][*][*][?(@.a)]",
			"path '/l[*][*][*][*][?(@.a)]': [?(@.a)] must select an element of l[0][0][0][0], " +
				"which has 10 elements, but none that matches",
		},
	} {
		path, err := Parse(test.path)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := path.Resolve(exprtest.Bomb()); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: got error %q, want %q", test.path, got, test.want)
		}
	}
	path, err := Parse("/l[*][?(@.a)]")
	if err != nil {
		t.Fatal(err)
	}
	root := exprtest.MapOf("l", exprtest.ListOf(2_000, exprtest.ListOf(1_000, tree.NewString("x"))))
	const want = "path '/l[*][?(@.a)]': must visit at most 10000000 map members and list elements"
	if _, err := path.Resolve(root); err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}
