package jqpath

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/exprtest"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const stepsObject = `
a: {b: [1, 2.5, {c: x, "d.e": y}, null], c: {b: 1, a: x}, e: [], n: null, big: 9007199254740993}
b: [{a: x, b: 1}, {a: y, b: 1.0, c: [[1], {a: x}]}, {b: "1"}, {a: null, n: .nan, t: true}]
c: &c {a: x, b: [x, y, x]}
d: {<<: *c, z: 0x10, n: 0644, t: yes, b: *c}
"a b": x
`

// stepTexts are what an expression of FuzzJQSteps is made of.
var stepTexts = strings.Split(
	`.|.a|.b|.c|.d|.n|.z|.["a b"]|."d.e"|.a.b|.b[]|.[0]|.[1]|.[-1]|.[-5]|.[9]|.[]|.[]?|.a?|.[0]?|.b[]?|.c.b[]`+
		`|select(.a == "x")|select(.b == 1)|select(.b != 1)|select(. == "x")|select(. != null)|select(.n == null)`+
		`|select(.c.a != "x")|select(.t == true)|select(.big == 9007199254740993)|select(.big == 9007199254740992)`+
		`|select(.b == 1.0)|select(.n == 420)|select(.z == 1.6e1)|select(.b == 9007199254740993000000000000000000)`, "|")

func stepsExpression(choice []byte) string {
	var texts []string
	for _, c := range choice {
		texts = append(texts, stepTexts[int(c)%len(stepTexts)])
	}
	return strings.Join(texts, " | ")
}

// checkSteps holds the steps of a simple expression against gojq.
func checkSteps(t *testing.T, in *dialect.Input, text string) {
	t.Helper()
	path, err := jq.CompilePath(text, jq.Limits{Timeout: time.Minute})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	steps, isSimple := path.Steps()
	if !isSimple {
		return
	}
	got, ok := evaluateSteps(in.Root, steps)
	if !ok {
		return
	}
	paths, err := path.Paths(in.Value())
	if err != nil {
		t.Fatalf("%s: the steps end well, jq ends with %v", text, err)
	}
	var want []location.Location
	for _, path := range paths {
		want = append(want, locationOf(path))
	}
	if diff := cmp.Diff(exprtest.Pointers(want), exprtest.Pointers(got)); diff != "" {
		t.Fatalf("%s (-jq +steps):\n%s", text, diff)
	}
}

func TestJQSteps(t *testing.T) {
	in := &dialect.Input{Root: exprtest.Parse(t, stepsObject)}
	for i, a := range stepTexts {
		for _, b := range stepTexts {
			text := a + " | " + b
			if path, err := jq.CompilePath(text, jq.Limits{}); err != nil {
				t.Fatal(err)
			} else if _, isSimple := path.Steps(); !isSimple {
				t.Errorf("%s is not simple", text)
			}
			checkSteps(t, in, text)
			checkSteps(t, in, stepTexts[(i+9)%len(stepTexts)]+" | "+text)
		}
	}
	for _, text := range []string{
		".a?.b?", ".[]?[]?", ".a.b[0].c", ".b[].c[][0]", ".b[].c[]?[0]?", ".d[]", ".d.b.b[-2]", ".a[].a", ".a | .b[] | .c",
	} {
		checkSteps(t, in, text)
	}
}

func TestJQIsNotSimple(t *testing.T) {
	for _, text := range []string{
		"..", ".a, .b", ".a // .b", ".a[.b]", ".a[1:]", ".a[1.5]", ".a[]??", ".?", "(.a)", ".a as $x | .b", "def f: .a; .b",
		"select(.a)", "select(.a == .b)", "select(.a > 1)", "select(.a[] == 1)", "select(.a? == 1)", "select(.a == -1)",
		"select(.a == 1)?", "select(.a == 1).b", `select(.a == "\(.b)")`, "map(.a)", `."\(.a)"`, "first", "empty", "null",
		"1", ".a | def f: .a; .b", ".a == 1", "-.a",
	} {
		path, err := jq.CompilePath(text, jq.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if steps, isSimple := path.Steps(); isSimple {
			t.Errorf("%s is taken for the steps %v", text, steps)
		}
	}
}

// TestJQStepsEnd has more places than steps are taken for.
func TestJQStepsEnd(t *testing.T) {
	list := "[1" + strings.Repeat(",1", 1999) + "]"
	in := &dialect.Input{Root: exprtest.Parse(t, "m: ["+list+strings.Repeat(","+list, 49)+"]")}
	path, err := jq.CompilePath(".m[][]", jq.Limits{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	steps, _ := path.Steps()
	if locations, ok := evaluateSteps(in.Root, steps); ok {
		t.Errorf("the steps end with %d locations", len(locations))
	}
	if _, ok := evaluateSteps(in.Root, steps[:1]); !ok {
		t.Error("one step does not end")
	}
}

// FuzzJQSteps holds the steps of simple expressions against gojq.
func FuzzJQSteps(f *testing.F) {
	for i := range stepTexts {
		f.Add([]byte{byte(i), byte(i / 2), byte(3 * i)}, stepsObject)
	}
	f.Fuzz(func(t *testing.T, choice []byte, text string) {
		if len(choice) == 0 || len(choice) > 8 || len(text) > 4<<10 {
			return
		}
		root, err := tree.Parse([]byte(text))
		if err != nil {
			return
		}
		checkSteps(t, &dialect.Input{Root: root}, stepsExpression(choice))
	})
}
