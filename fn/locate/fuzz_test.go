package locate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/fn/tree"
)

const fuzzObject = `
a: {b: [1, 2.5, {c: x, d.e: y, "": z}], c/d: null, ~: t, "*": s, "0": n}
l: &l [{n: x, p: 80, on: true}, {n: y, p: 81, on: false, m: [[1, 2], [3]]}, null]
copy: *l
prometheus.io/port: "1"
`

// checkFound fails where a location is not in the object, or is not the only one
// that its own pointer finds.
func checkFound(t *testing.T, in *Input, expression Expression, found Found) {
	t.Helper()
	for _, l := range found.Locations {
		if At(in.Root, l) == nil {
			t.Fatalf("%q finds %s, which is not there", expression, l)
		}
		if len(l) == 0 || slices.ContainsFunc(l, isAsterisk) {
			continue
		}
		pointer, err := ParseJSONPointer(l.Pointer())
		if err != nil {
			t.Fatalf("%q finds %q: %v", expression, l.Pointer(), err)
		}
		again, err := pointer.Locate(in)
		if err != nil || len(again.Locations) != 1 || Compare(again.Locations[0], l) != 0 {
			t.Fatalf("%q finds %q, that finds %v, %v", expression, l.Pointer(), again.Locations, err)
		}
	}
}

func isAsterisk(step Step) bool { return step.Key == "*" }

func FuzzJSONPointer(f *testing.F) {
	for _, seed := range []string{
		"", "/", "/a/b/0", "/a/c~1d", "/l/*/n", "/a/*", "/l/-", "/l/00", "/prometheus.io/port", "a.b", "$.a[0]", "/~",
	} {
		f.Add(seed)
	}
	in := &Input{Root: parseYAML(f, fuzzObject)}
	f.Fuzz(func(t *testing.T, text string) {
		pointer, err := ParseJSONPointer(text)
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
	in := &Input{Root: parseYAML(f, fuzzObject)}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := ParseJSONPath(text)
		if err != nil {
			checkSyntaxError(t, err)
			return
		}
		if _, err := jsonpath.Parse("", "{"+inBraces(text)+"}"); err != nil {
			t.Fatalf("%q is no JSONPath for client-go: %v", text, err)
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

// inBraces returns the JSONPath without its braces.
func inBraces(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		return strings.TrimSuffix(text[1:], "}")
	}
	return text
}

// checkDottedKey fails where the escaped spelling does not find the first of
// the locations without joining names.
func checkDottedKey(t *testing.T, in *Input, found Found) {
	t.Helper()
	escaped, err := ParseJSONPath(found.DottedKey)
	if err != nil {
		t.Fatal(err)
	}
	again, err := escaped.Locate(in)
	if err != nil || again.DottedKey != "" {
		t.Fatalf("%q: got %v, %v", found.DottedKey, again, err)
	}
	isFirst := func(l Location) bool { return Compare(l, found.Locations[0]) == 0 }
	if !slices.ContainsFunc(again.Locations, isFirst) {
		t.Fatalf("%q finds %v, want %s", found.DottedKey, again.Locations, found.Locations[0])
	}
}

func checkSyntaxError(t *testing.T, err error) {
	t.Helper()
	var syntaxError *SyntaxError
	if !errors.As(err, &syntaxError) || syntaxError.Reason == "" || (syntaxError.Line > 0) != (syntaxError.Column > 0) {
		t.Fatalf("got %#v, want a *SyntaxError with a reason", err)
	}
}

func checkRuntimeError(t *testing.T, err error) {
	t.Helper()
	var runtimeError *RuntimeError
	if !errors.As(err, &runtimeError) || runtimeError.Cause == "" {
		t.Fatalf("got %#v, want a *RuntimeError with a cause", err)
	}
}

func FuzzPath(f *testing.F) {
	for _, seed := range []string{
		"", "/", "/a/b/0", "/a/c~1d/x", "/l[?(@.n=='x')]/p", "/l/[?(@.p==80)]", "/l[*]/m/-", "/l/-", "/l/3", "/l[-]",
		"/l[?(@['n']!=\"y\")]/m[*][0]", "/l[1]/m/0/1", "/new/x/-", "/a/~01", "/l[?(@.on==true)]/x~1y", "/l[ 0 ]",
	} {
		f.Add(seed, "x")
	}
	f.Add("/a/\x00", "c/d")
	f.Add("/l[?(@.n=='\x00')]/\x00", "'])~2")
	root := parseYAML(f, fuzzObject)
	f.Fuzz(func(t *testing.T, text, value string) {
		template, err := ParsePathTemplate(atNUL(text))
		if err != nil {
			var pathError *PathError
			if !errors.As(err, &pathError) || pathError.Reason == "" || pathError.Column < 1 {
				t.Fatalf("got %#v, want a *PathError with a column and a reason", err)
			}
			return
		}
		expressions := slices.Repeat([]PathValue{{Text: value, Value: value}}, strings.Count(text, "\x00"))
		targets, err := template.Bind(expressions).Resolve(root)
		if err != nil {
			var resolveError *ResolveError
			if !errors.As(err, &resolveError) || resolveError.Reason == "" {
				t.Fatalf("got %#v, want a *ResolveError with a reason", err)
			}
			return
		}
		for _, target := range targets {
			checkTarget(t, &Input{Root: root}, target)
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

func checkTarget(t *testing.T, in *Input, target Target) {
	t.Helper()
	if there := At(in.Root, target.Location) != nil; there != target.Exists {
		t.Fatalf("%s: there %t, exists %t", target.Location, there, target.Exists)
	}
	if target.Exists {
		if target.Obstacle != nil || target.Append || len(target.Missing) > 0 {
			t.Fatalf("%s exists, and yet: %+v", target.Location, target)
		}
		return
	}
	if Compare(slices.Concat(target.Parent, target.Missing), target.Location) != 0 || len(target.Missing) == 0 {
		t.Fatalf("%s is not %s and then %s", target.Location, target.Parent, Location(target.Missing))
	}
	if target.Obstacle == nil {
		checkMissing(t, in, target)
	}
}

// checkMissing fails where the value can't be put where the target says.
func checkMissing(t *testing.T, in *Input, target Target) {
	t.Helper()
	parent := At(in.Root, target.Parent)
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
