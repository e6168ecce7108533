package expr

import (
	"errors"
	"slices"
	"strings"
	"testing"

	kubectl "k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
)

const fuzzObject = `
a: {b: [1, 2.5, {c: x, d.e: y, "": z}], c/d: null, ~: t, "*": s, "0": n}
l: &l [{n: x, p: 80, on: true}, {n: y, p: 81, on: false, m: [[1, 2], [3]]}, null]
copy: *l
prometheus.io/port: "1"
`

// checkFound fails where a location is not in the object, or is not the only one that its own
// pointer finds.
func checkFound(t *testing.T, in *Input, expression Expression, found Match) {
	t.Helper()
	for _, l := range found.Locations {
		if location.At(in.Root, l) == nil {
			t.Fatalf("%q finds %s, which does not exist", expression, l)
		}
		if len(l) == 0 || slices.ContainsFunc(l, isAsterisk) {
			continue
		}
		pointer, err := jsonpointer.Parse(l.Pointer())
		if err != nil {
			t.Fatalf("%q finds %q: %v", expression, l.Pointer(), err)
		}
		again, err := pointer.Locate(in)
		if err != nil || len(again.Locations) != 1 || location.Compare(again.Locations[0], l) != 0 {
			t.Fatalf("%q finds %q, that finds %v, %v", expression, l.Pointer(), again.Locations, err)
		}
	}
}

func isAsterisk(step location.Step) bool { return step.Key == "*" }

func FuzzJSONPointer(f *testing.F) {
	for _, seed := range []string{
		"", "/", "/a/b/0", "/a/c~1d", "/l/*/n", "/a/*", "/l/-", "/l/00", "/prometheus.io/port", "a.b", "$.a[0]", "/~",
	} {
		f.Add(seed)
	}
	in := &Input{Root: golden.Parse(f, fuzzObject)}
	f.Fuzz(func(t *testing.T, text string) {
		pointer, err := jsonpointer.Parse(text)
		if err != nil {
			checkSyntaxError(t, err)
			return
		}
		found, err := pointer.Locate(in)
		if err != nil {
			checkRuntimeError(t, err)
			return
		}
		checkFound(t, in, pointer, found)
	})
}

func FuzzJSONPath(f *testing.F) {
	for _, seed := range []string{
		"", ".", "$", "{.a.b}", ".a.b[0]", ".a['b','c/d']", ".l[?(@.n==\"x\")].p", ".l[?(@.p>80.5)]", "..n", "...*",
		".l[-1,0:2]", ".l[::2].m[*][0]", ".prometheus.io/port", "..d.e", `.a.d\.e`, "/a/b", "{.a}{.b}",
		"{range .l[*]}{.n}{end}", ".l[?(@.m[0][0]==1)]", "['a}b']", ".l[?(@.on!=true)]", "..a..b..c",
	} {
		f.Add(seed)
	}
	in := &Input{Root: golden.Parse(f, fuzzObject)}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := jsonpath.Parse(text)
		if err != nil {
			checkSyntaxError(t, err)
			return
		}
		if _, err := kubectl.Parse("", "{"+inBraces(text)+"}"); err != nil {
			t.Fatalf("%q is no jsonpath.Dialect.Name for client-go: %v", text, err)
		}
		found, err := path.Locate(in)
		if err != nil {
			checkRuntimeError(t, err)
			return
		}
		checkFound(t, in, path, found)
		if found.DottedKey != "" {
			checkDottedKey(t, in, found)
		}
	})
}

// inBraces returns the jsonpath.Dialect.Name without its braces.
func inBraces(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		return strings.TrimSuffix(text[1:], "}")
	}
	return text
}

// checkDottedKey fails where the escaped spelling does not find the first of the locations without
// joining names.
func checkDottedKey(t *testing.T, in *Input, found Match) {
	t.Helper()
	escaped, err := jsonpath.Parse(found.DottedKey)
	if err != nil {
		t.Fatal(err)
	}
	again, err := escaped.Locate(in)
	if err != nil || again.DottedKey != "" {
		t.Fatalf("%q: got %v, %v", found.DottedKey, again, err)
	}
	isFirst := func(l location.Location) bool { return location.Compare(l, found.Locations[0]) == 0 }
	if !slices.ContainsFunc(again.Locations, isFirst) {
		t.Fatalf("%q finds %v, want %s", found.DottedKey, again.Locations, found.Locations[0])
	}
}

func checkSyntaxError(t *testing.T, err error) {
	t.Helper()
	var syntaxError *fault.SyntaxError
	if !errors.As(err, &syntaxError) || syntaxError.Reason == "" || (syntaxError.Line > 0) != (syntaxError.Column > 0) {
		t.Fatalf("got %#v, want a *fault.SyntaxError with a reason", err)
	}
}

func checkRuntimeError(t *testing.T, err error) {
	t.Helper()
	var runtimeError *fault.RuntimeError
	if !errors.As(err, &runtimeError) || runtimeError.Cause == "" {
		t.Fatalf("got %#v, want a *fault.RuntimeError with a cause", err)
	}
}
