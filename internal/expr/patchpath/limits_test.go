package patchpath

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"

	"github.com/krm-fields/krm-fields/e2e/golden"
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
		if _, err := path.Resolve(golden.Bomb(), tree.Lookup); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: got error %q, want %q", test.path, got, test.want)
		}
	}
}
