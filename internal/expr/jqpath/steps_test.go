package jqpath

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
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

// stepTexts are what an expression of FuzzJQSteps is made of: each % is another one, each # a
// condition, each ~ a space.
var stepTexts = strings.Fields(`. .a .b .c .d .n .z .["a~b"] ."d.e" .a.b .b[] .[0] .[1] .[-1] .[-5] .[9] .[] .[]? .a? .[0]? .b[]? .c.b[]
	select(.a=="x") select(.b==1) select(.b!=1) select(.=="x") select(.!=null) select(.n==null) select(.c.a!="x") select(.t==true)
	select(.big==9007199254740993) select(.big==9007199254740992) select(.b==1.0) select(.n==420) select(.z==1.6e1)
	select(.b==9007199254740993000000000000000000) select(#) (%) (%).a (%).b[]? (%)[0]? select(#).a? (%)//(%) ((%),(%)) empty .a//empty .. recurse .b[]|..`)

// conditionTexts are conditions, and values for them.
var conditionTexts = strings.Fields(`.a .b[]? % (%)//(%) (#)//(#) (#)and(#) (#)or(#) (#)and(%) (%)or(#) (#)|not (%)|not (%)|(#) (#),(#)
	.[]?=="x" (#)=="x" (#)!=null (#)<1 (#)<="x" (#)>"x" (#)>=1.5 (#)==true (%)<"y" (%)>null .a?|startswith("x") (.a//"")|startswith("x")
	(.a?//"")|endswith("x") (%)|test("^[xy]$") .key? .key?=="a" .value? .value?.a? (.key?//"")|startswith("a") (.key?//"")|test("b")
	null false true 1 "x" "x".a? (1.5).a? null.a "x"[0]? null[0] select(#) empty (#)[0]? type type=="object"
	(#)|type (.a?,.b?)|type=="string" has("a") (..|objects|has("n"))? (.a?//{})|has("a") .[]?|type=="array" (..|type)=="number" select(type=="object")|has("n")`)

// projectionTexts are at the end of a projection.
var projectionTexts = []string{"with_entries(select(#))", "to_entries|map(select(#))|from_entries"}

// composer puts expressions together from choices.
type composer struct{ choices []byte }

func (c *composer) next(texts []string) string {
	if len(c.choices) == 0 {
		return texts[0]
	}
	text := texts[int(c.choices[0])%len(texts)]
	c.choices = c.choices[1:]
	return text
}

func (c *composer) compose(texts []string, depth int) string {
	if depth == 0 {
		return "."
	}
	var b strings.Builder
	for _, char := range c.next(texts) {
		switch char {
		case '%':
			b.WriteString(c.compose(stepTexts, depth-1))
		case '#':
			b.WriteString(c.compose(conditionTexts, depth-1))
		case '~':
			b.WriteByte(' ')
		default:
			b.WriteRune(char)
		}
	}
	return b.String()
}

// stepsExpression composes an expression. The first choice says how many steps it has, and whether
// it is a projection.
func stepsExpression(choices []byte) string {
	c := &composer{choices: choices[1:]}
	var texts []string
	for range 1 + choices[0]%8/2 {
		texts = append(texts, c.compose(stepTexts, 4))
	}
	if choices[0]%2 == 1 {
		texts = append(texts, c.compose(projectionTexts, 4))
	}
	return strings.Join(texts, " | ")
}

// checkSteps holds the steps of a simple expression against gojq, and tells whether they came to an
// end.
func checkSteps(t *testing.T, in *dialect.Input, text string) bool {
	t.Helper()
	path, err := jq.CompilePath(text, jq.Limits{Timeout: time.Minute})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	steps, isSimple := path.Steps()
	if !isSimple {
		return false
	}
	got, _, ok := evaluateSteps(in, steps, maxSteps)
	if !ok {
		return false
	}
	paths, err := path.Paths(in.Value(), nil)
	if err != nil {
		t.Fatalf("%s: the steps end well, jq ends with %v", text, err)
	}
	var want []location.Location
	for _, path := range paths {
		want = append(want, locationOf(path))
	}
	if diff := cmp.Diff(golden.Pointers(want), golden.Pointers(got)); diff != "" {
		t.Fatalf("%s (-jq +steps):\n%s", text, diff)
	}
	return true
}

func TestJQSteps(t *testing.T) {
	in := &dialect.Input{Root: golden.Parse(t, stepsObject)}
	followed := 0
	for i := range 70 {
		for j := range 70 {
			text := stepsExpression([]byte{byte(i + j), byte(i), byte(j), byte(7*i + j), byte(i + 11*j), byte(3 * j), byte(5 * i), byte(j / 2)})
			if checkSteps(t, in, text) {
				followed++
			}
		}
	}
	if followed < 2500 {
		t.Errorf("%d expressions were followed to their end, want most", followed)
	}
	for _, text := range []string{
		".a?.b?", ".[]?[]?", ".a.b[0].c", ".b[].c[][0]", ".b[].c[]?[0]?", ".d[]", ".d.b.b[-2]", ".a[].a", ".a | .b[] | .c",
		"(.a // .).b", "(.nothing // .a).c.a", `.b[] | select(.c[]? | select(type? // .a?) == "x")`, `select(.b[].a == "x") | .a`,
		`.c | to_entries | map(select(.key | startswith("a"))) | from_entries`, `.d | with_entries(select(.value == "x"))`,
		`.a | with_entries(select(.value))`, `.nothing | with_entries(select(true))`, `.b | with_entries(select(true))`,
		`.["a b"], .c | with_entries(select(true, .key))`, `.b[] | with_entries(select(.value == null or (.key | test("^c"))))`,
	} {
		checkSteps(t, in, text)
	}
}

func TestJQIsSimple(t *testing.T) {
	for _, text := range []string{
		".a, .b", ".a // .b", "(.a)", "select(.a)", "select(.a > 1)", "select(.a[] == 1)", "select(.a? == 1)", "select(.a == 1).b",
		"empty", `select(.a | startswith("b"))`, `select(.a | test("^b"))`, `select(.a == 1 and (.b // "" | endswith("c")) | not)`,
		`.a | to_entries | map(select(.key | startswith("b"))) | from_entries`, `.a | with_entries(select(.value == 1))`,
		`select(.env[]? | select(.name == "A") | .value == "b")`, `.. | select(type == "object" and .a == "b")`, "recurse",
		`.a[] | select(has("b"))`,
	} {
		path, err := jq.CompilePath(text, jq.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if _, isSimple := path.Steps(); !isSimple {
			t.Errorf("%s is not simple", text)
		}
	}
}

func TestJQIsNotSimple(t *testing.T) {
	for _, text := range []string{
		"..?", ".a[.b]", ".a[1:]", ".a[1.5]", ".a[]??", ".?", "(.a)?", ".a as $x | .b", "def f: .a; .b",
		"select(.a == .b)", "select(.a == -1)", "select(.a == 1)?", `select(.a == "\(.b)")`, "map(.a)", `."\(.a)"`, "first",
		".a | def f: .a; .b", "-.a", `select(.a | startswith("b", "c"))`, "select(.a | startswith(.b))", `select(.a | test("b"; "i"))`,
		`select(.a | test("["))`, `select(.a | test("b{2}"))`, "to_entries | map(select(.key)) | from_entries | .a",
		"with_entries(.)", "with_entries(select(.key))?", "to_entries | map(select(.key) | .) | from_entries", "map(select(.a))",
		"def select(f): .; select(.a)", "select(.a) | def not: .; select(not)",
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

// TestJQStepsEnd has more places, or more to look at, than steps are taken for.
func TestJQStepsEnd(t *testing.T) {
	list := "[1" + strings.Repeat(",1", 1999) + "]"
	root := golden.Parse(t, "m: ["+list+strings.Repeat(","+list, 49)+"]")
	for _, test := range []struct {
		text string
		ends bool
	}{
		{".m[]", true},
		{".m[][]", false},
		{".m[][] | select((" + strings.Repeat("empty,", 500) + "empty))", false},
		{".m[] | select((.[] | . == 2), (.[] | . == 3))", true},
		{".m[] | select(" + strings.Repeat("(.[] | . == 2), ", 40) + "false)", false},
	} {
		path, err := jq.CompilePath(test.text, jq.Limits{Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		steps, isSimple := path.Steps()
		if !isSimple {
			t.Errorf("%.60s is not simple", test.text)
		}
		if locations, _, ok := evaluateSteps(&dialect.Input{Root: root}, steps, maxSteps); ok != test.ends {
			t.Errorf("%.60s: the steps end: %v, with %d locations, want %v", test.text, ok, len(locations), test.ends)
		}
	}
}

// FuzzJQSteps holds the steps of simple expressions against gojq.
func FuzzJQSteps(f *testing.F) {
	for i := range byte(200) {
		f.Add([]byte{i, i / 2, 3 * i, 7 * i, 31 * i, 101 * i, 13 * i}, stepsObject)
	}
	f.Fuzz(func(t *testing.T, choice []byte, text string) {
		if len(choice) == 0 || len(choice) > 32 || len(text) > 4<<10 {
			return
		}
		root, err := tree.Parse([]byte(text))
		if err != nil {
			return
		}
		checkSteps(t, &dialect.Input{Root: root}, stepsExpression(choice))
	})
}
