package hint

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FuzzGuess fits what it guesses to an object, in which only keys that are there may be named.
func FuzzGuess(f *testing.F) {
	for _, text := range []string{
		"spec.replicas", "/a/b~1c/0", "$.a[0]['b']", `.l[] | select(.n == "x")`, "{.l[?(@.n=='x')].p}", "l.[n=x].p", "a.b/c", "#/a",
		"metadata.annotations.a.b/c", "l[*].*", "[", "..", "a['", "'a'/b", "l[n=1]",
	} {
		f.Add(text)
	}
	root, err := tree.Parse([]byte("a: {b/c: [1], d.e: x}\nl: [{n: x, p: 1}, {n: 1}]\nmetadata: {annotations: {a.b/c: y}}\n"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, ok := Guess(text)
		if !ok {
			return
		}
		fitting, ok := Fit(path, root)
		if !ok {
			return
		}
		n := root
		for _, s := range fitting {
			if s.Kind != Key {
				return // which of the elements is meant, the outline does not say
			}
			if n = tree.Lookup(n, s.Key); n == nil {
				t.Fatalf("%q fits as %v, and %q is not there", text, fitting, s.Key)
			}
		}
	})
}
