package patchpath

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const fuzzObject = `
a: {b: [1, 2.5, {c: x, d.e: y, "": z}], c/d: null, ~: t, "*": s, "0": n}
l: &l [{n: x, p: 80, on: true}, {n: y, p: 81, on: false, m: [[1, 2], [3]]}, null]
copy: *l
prometheus.io/port: "1"
`

func FuzzPath(f *testing.F) {
	for _, seed := range []string{
		"", "/", "/a/b/0", "/a/c~1d/x", "/l[?(@.n=='x')]/p", "/l/[?(@.p==80)]", "/l[*]/m/-", "/l/-", "/l/3", "/l[-]",
		"/l[?(@['n']!=\"y\")]/m[*][0]", "/l[1]/m/0/1", "/new/x/-", "/a/~01", "/l[?(@.on==true)]/x~1y", "/l[ 0 ]",
	} {
		f.Add(seed, "x")
	}
	f.Add("/a/\x00", "c/d")
	f.Add("/l[?(@.n=='\x00')]/\x00", "'])~2")
	root := golden.Parse(f, fuzzObject)
	f.Fuzz(func(t *testing.T, text, value string) {
		template, err := ParseTemplate(atNUL(text))
		if err != nil {
			var pathError *fault.SyntaxError
			if !errors.As(err, &pathError) || pathError.Reason == "" || pathError.Column < 1 {
				t.Fatalf("got %#v, want a *fault.SyntaxError with a column and a reason", err)
			}
			return
		}
		expressions := slices.Repeat([]Value{{Text: value, Value: value}}, strings.Count(text, "\x00"))
		targets, err := template.Bind(expressions).Resolve(root, tree.Lookup)
		if err != nil {
			var resolveError *ResolveError
			if !errors.As(err, &resolveError) || resolveError.Reason == "" {
				t.Fatalf("got %#v, want a *ResolveError with a reason", err)
			}
			return
		}
		for _, target := range targets {
			checkTarget(t, &dialect.Input{Root: root}, target)
		}
	})
}

// atNUL cuts the text into pieces, with an expression for each NUL.
func atNUL(text string) []Piece {
	var all []Piece
	for i, literal := range strings.Split(text, "\x00") {
		if i > 0 {
			all = append(all, Piece{Text: "${x}", IsExpression: true})
		}
		all = append(all, Piece{Text: literal})
	}
	return all
}

func checkTarget(t *testing.T, in *dialect.Input, target Match) {
	t.Helper()
	if there := location.At(in.Root, target.Location) != nil; there != target.Exists {
		t.Fatalf("%s: there %t, exists %t", target.Location, there, target.Exists)
	}
	if target.Exists {
		if target.Obstacle != nil || target.Append || len(target.Missing) > 0 {
			t.Fatalf("%s exists, and yet: %+v", target.Location, target)
		}
		return
	}
	if location.Compare(slices.Concat(target.Parent, target.Missing), target.Location) != 0 || len(target.Missing) == 0 {
		t.Fatalf("%s is not %s and then %s", target.Location, target.Parent, location.Location(target.Missing))
	}
	if target.Obstacle == nil {
		checkMissing(t, in, target)
	}
}

// checkMissing fails where the value can't be put where the target says.
func checkMissing(t *testing.T, in *dialect.Input, target Match) {
	t.Helper()
	parent := location.At(in.Root, target.Parent)
	first := target.Missing[0]
	if first.IsIndex && len(tree.Elements(parent)) != first.Index && len(target.Missing) == 1 {
		t.Fatalf("%s is not the end of the list", target.Location)
	}
	if !first.IsIndex && !tree.IsMap(parent) {
		t.Fatalf("%s is no map", target.Parent)
	}
	for _, step := range target.Missing[1:] {
		if step.IsIndex && (step.Index != 0 || !target.Append) {
			t.Fatalf("%s makes a list element", target.Location)
		}
	}
}
