package cel

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

// hostileVariables are data with a large string, a long list and a deep one.
func hostileVariables() map[string]any {
	items := make([]any, 1000)
	for i := range items {
		items[i] = i
	}
	var deep any = 1
	for range 900 {
		deep = []any{deep}
	}
	return map[string]any{
		"resource": map[string]any{"text": strings.Repeat("a", 1<<20), "items": items, "deep": deep},
	}
}

// chain returns start with step behind it, n times.
func chain(start, step string, n int) string {
	return start + strings.Repeat(step, n)
}

// costly are expressions that must be stopped by the cost limit, whatever they do: repeat loops,
// double values, or make one function do too much.
var costly = []string{
	`resource.items.map(a, resource.items.map(b, resource.items.map(c, a * b * c)))`,
	`resource.items.exists(a, resource.items.exists(b, resource.items.exists(c, false))) || true`,
	`lists.range(1000000).map(i, {"a": i})`,
	`lists.range(3000).map(i, lists.range(3000))`,
	`lists.range(1000000000)`,
	`lists.range(9223372036854775807)`,
	chain(`["x"]`, `.map(x, x + x)`, 60),
	chain(`[b"x"]`, `.map(x, x + x)`, 60),
	chain(`[[1]]`, `.map(x, x + x)`, 60),
	chain(`[1]`, `.map(x, [x, x])`, 60),
	chain(`[1]`, `.map(x, {"a": x, "b": x})`, 40),
	chain(`[1]`, `.map(x, [x, x])`, 40) + ` == ` + chain(`[1]`, `.map(x, [x, x])`, 40),
	chain(`[optional.of(1)]`, `.map(x, optional.of([x, x]))`, 25) + ` == ` +
		chain(`[optional.of(1)]`, `.map(x, optional.of([x, x]))`, 25),
	`dyn(1) in dyn(` + chain(`[1]`, `.map(x, [x, x])`, 60) + `)`,
	`sets.intersects(dyn(` + chain(`[1]`, `.map(x, [x, x])`, 60) + `), dyn(` + chain(`[1]`, `.map(x, [x, x])`, 60) + `))`,
	chain(`[1]`, `.map(x, [x, x])`, 60) + `.flatten(60)`,
	`"%s".format([` + chain(`[1]`, `.map(x, [x, x])`, 60) + `])`,
	`lists.range(1000).map(i, "%s%s".format([resource.text, resource.text]))`,
	`lists.range(1000).map(i, strings.quote(resource.text))`,
	`lists.range(1000).map(i, resource.text.upperAscii())`,
	`lists.range(1000).map(i, resource.text.split(""))`,
	`lists.range(1000).map(i, resource.text + string(i))`,
	`lists.range(1000).map(i, size(resource.text))`,
	`resource.text.replace("", resource.text)`,
	`resource.text.replace("a", resource.text)`,
	`resource.items.map(x, resource.text).join(resource.text)`,
	`resource.text.split("").join(resource.text)`,
	`resource.text.indexOf(resource.text.substring(0, 100000) + "b")`,
	`resource.text.lastIndexOf(resource.text.substring(0, 100000) + "b")`,
	`resource.text.matches("(a?){20}a{20}b")`,
	`lists.range(100000).map(x, -x).sort()`,
	`lists.range(100000).distinct()`,
	`sets.equivalent(lists.range(100000), lists.range(100000))`,
	`resource.text.substring(0, 1000) in resource.items.map(i, resource.text)`,
}

// maxHeapGrowth is what the costly expressions may add to the memory of the process, all of them
// one after the other.
const maxHeapGrowth = 256 << 20

func TestCostLimit(t *testing.T) {
	variables := hostileVariables()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, expression := range costly {
		// The time limit must not be what stops an expression on a slow machine.
		e, err := NewEnvironment(Options{Variables: []string{"resource"}, Timeout: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Eval(variables)
		if _, ok := errors.AsType[*LimitError](err); !ok {
			t.Errorf("%s: got the error %v, want a *LimitError", preview(expression), err)
			continue
		}
		if want := "CEL expression exceeded its cost limit of 1000000: '" + preview(expression) + "'"; err.Error() != want {
			t.Errorf("got the error %v, want %s", err, want)
		}
	}
	runtime.ReadMemStats(&after)
	if growth := int64(after.HeapSys) - int64(before.HeapSys); growth > maxHeapGrowth {
		t.Errorf("the heap grew by %d bytes, want at most %d", growth, maxHeapGrowth)
	}
}

// TestDeepAndLargeValues has expressions that stay below the limits.
func TestDeepAndLargeValues(t *testing.T) {
	e, err := NewEnvironment(Options{Variables: []string{"resource"}, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	variables := hostileVariables()
	for _, expression := range []string{
		`resource.deep == resource.deep`,
		`resource.deep.flatten(1000).size() == 1`,
		`resource.items.sort() == resource.items`,
		`resource.items.filter(a, a < 500).distinct().size() == 500`,
		`resource.items.map(a, a * 2).filter(a, a > 10).size() == 994`,
		`resource.text.size() == 1048576`,
		`resource.text.matches("^a*$")`,
		`resource.text.contains("aaa")`,
		`(resource.text + "b").endsWith("ab")`,
		`resource == resource`,
	} {
		p, err := e.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Eval(variables)
		if err != nil || got != true {
			t.Errorf("%s: got %v and the error %v, want true", expression, got, err)
		}
	}
}

func TestContextEndsEvaluation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, err := NewEnvironment(Options{Variables: []string{"resource"}, Context: ctx})
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Compile("1")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := p.Eval(hostileVariables()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestTimeLimit(t *testing.T) {
	e, err := NewEnvironment(Options{Variables: []string{"resource"}, Timeout: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	for _, expression := range []string{
		`resource.items.map(a, resource.items.size())`,
		`resource.items.all(a, true) || true`,
		`1`,
	} {
		p, err := e.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Eval(hostileVariables())
		if _, ok := errors.AsType[*LimitError](err); !ok {
			t.Fatalf("%s: got the error %v, want a *LimitError", expression, err)
		}
		if want := "CEL expression timed out after 1ns: '" + expression + "'"; err.Error() != want {
			t.Errorf("got the error %v, want %s", err, want)
		}
	}
}

// TestCompileHostile has expressions that must be refused, however long or deep.
func TestCompileHostile(t *testing.T) {
	e := newEnvironment(t, "a")
	for _, unit := range []string{
		"(", "[", "{", "{1:", "a[", "f(", "a?", "a?b:", "a.", "a+", "a&&b||", "!", "-", "\"", "'''", "a.map(x,",
		"a b ", "\x00", "\xff", "é",
		"'a'.matches('((a{10}){10}){10}')||", "[a,", "a.?", "`", "//", "0x", "1e",
	} {
		text := strings.Repeat(unit, maxExpressionBytes/len(unit))
		_, err := e.Compile(text)
		if _, ok := errors.AsType[*SyntaxError](err); !ok {
			t.Errorf("%q many times: got the error %v, want a *SyntaxError", unit, err)
		}
	}
}
