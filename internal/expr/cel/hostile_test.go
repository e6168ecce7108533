package cel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/report"
)

// hostileVariables are data with a large string, a long list and a deep one.
func hostileVariables() Input {
	items := make([]any, 1000)
	for i := range items {
		items[i] = i
	}
	var deep any = 1
	for range 900 {
		deep = []any{deep}
	}
	return Input{Variables: map[string]any{
		"resource": map[string]any{"text": strings.Repeat("a", 1<<20), "items": items, "deep": deep},
	}}
}

// chain returns start with step behind it, n times.
func chain(start, step string, n int) string {
	return start + strings.Repeat(step, n)
}

// costly are expressions that must be stopped by a limit, whatever they do: repeat loops,
// double values, or make one function do too much.
var costly = []string{
	`resource.items.map(a, resource.items.map(b, resource.items.map(c, a * b * c)))`,
	`resource.items.exists(a, resource.items.exists(b, resource.items.exists(c, false))) || true`,
	`lists.range(1000000).map(i, {"a": i})`,
	`lists.range(3000).map(i, lists.range(3000))`,
	chain(`["x"]`, `.map(x, x + x)`, 60),
	chain(`[b"x"]`, `.map(x, x + x)`, 60),
	chain(`[[1]]`, `.map(x, x + x)`, 60),
	chain(`[1]`, `.map(x, [x, x])`, 60),
	chain(`[1]`, `.map(x, {"a": x, "b": x})`, 40),
	chain(`[1]`, `.map(x, [x, x])`, 40) + ` == ` + chain(`[1]`, `.map(x, [x, x])`, 40),
	chain(`[optional.of(1)]`, `.map(x, optional.of([x, x]))`, 25) + ` == ` +
		chain(`[optional.of(1)]`, `.map(x, optional.of([x, x]))`, 25),
	`sets.intersects(dyn(` + chain(`[1]`, `.map(x, [x, x])`, 60) + `), dyn(` + chain(`[1]`, `.map(x, [x, x])`, 60) + `))`,
	chain(`[1]`, `.map(x, [x, x])`, 60) + `.flatten(60)`,
	`"%s".format([` + chain(`[1]`, `.map(x, [x, x])`, 60) + `])`,
	`lists.range(1000).map(i, "%s%s".format([resource.text, resource.text]))`,
	`lists.range(1000).map(i, strings.quote(resource.text))`,
	`lists.range(1000).map(i, resource.text.upperAscii())`,
	`lists.range(1000).map(i, resource.text.split(""))`,
	`lists.range(1000).map(i, resource.text + string(i))`,
	`lists.range(1000).map(i, size(resource.text))`,
	`resource.items.map(x, resource.text).join(resource.text)`,
	`resource.text.split("").join(resource.text)`,
	`resource.text.indexOf(resource.text.substring(0, 100000) + "b")`,
	`resource.text.lastIndexOf(resource.text.substring(0, 100000) + "b")`,
	`resource.text.matches("(a?){20}a{20}b")`,
	`lists.range(100000).map(x, -x).sort()`,
	`lists.range(100000).distinct()`,
	`sets.equivalent(lists.range(100000), lists.range(100000))`,
}

// hostileVariable has TestMain evaluate an expression.
const hostileVariable = "KRM_FIELDS_HOSTILE"

type hostileReporter struct{}

func (hostileReporter) Report(err error) report.Result { return report.Result{Message: err.Error()} }

func TestMain(m *testing.M) {
	expression, isHostile := os.LookupEnv(hostileVariable)
	if !isHostile {
		os.Exit(m.Run())
	}
	guard.Start(func(failed report.Result, _ bool) {
		fmt.Println("limit: " + failed.Message)
		os.Exit(0)
	})
	e, err := NewEnvironment(Options{Variables: []string{"resource"}})
	var program *Program
	if err == nil {
		e.timeout, e.memory = 50*time.Millisecond, 16<<20
		program, err = e.Compile(expression)
	}
	if err == nil {
		in := hostileVariables()
		in.Reporter = hostileReporter{}
		_, err = program.Eval(in)
	}
	if guard.IsLimit(err) {
		fmt.Print("limit: ")
	}
	fmt.Println(err)
}

// TestHostile evaluates what would take all time or memory, each in a process of its own, which the
// guard may end.
func TestHostile(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, expression := range costly {
		t.Run(preview(expression), func(t *testing.T) {
			t.Parallel()
			child := exec.CommandContext(t.Context(), self)
			child.Env = append(os.Environ(), hostileVariable+"="+expression)
			out, err := child.CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), "limit: CEL expression ") {
				t.Errorf("it must end at a limit, ended with %v and %.500s", err, out)
			}
			t.Logf("%.80s", out)
		})
	}
}

// TestSizeErrors has functions that refuse what they would make in one step.
func TestSizeErrors(t *testing.T) {
	e := newEnvironment(t, "resource")
	for expression, want := range map[string]string{
		`resource.text.replace("", resource.text)`:  "replace must put in at most 64Mi of text",
		`resource.text.replace("a", resource.text)`: "replace must put in at most 64Mi of text",
		`lists.range(9223372036854775807)`:          "lists.range: size 9223372036854775807 exceeds maximum allowed (1000000)",
	} {
		p, err := e.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Eval(hostileVariables())
		if failed, ok := errors.AsType[*EvalError](err); !ok || failed.Cause != want {
			t.Errorf("%s: got %v, want %s", expression, err, want)
		}
	}
}

// TestDeepAndLargeValues has expressions that stay below the limits.
func TestDeepAndLargeValues(t *testing.T) {
	e := newEnvironment(t, "resource")
	e.timeout = time.Minute
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
	e := newEnvironment(t, "resource")
	e.timeout = time.Nanosecond
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
		if want := "CEL expression timed out after 1ns: '" + expression + "'"; err == nil || err.Error() != want {
			t.Errorf("got the error %v, want %s", err, want)
		}
	}
}

// TestCompileHostile has expressions that must be refused, however long or deep; by a slow machine
// for their time.
func TestCompileHostile(t *testing.T) {
	for _, unit := range []string{
		"(", "[", "{", "{1:", "a[", "f(", "a?", "a?b:", "a.", "a+", "a&&b||", "!", "-", "\"", "'''", "a.map(x,",
		"a b ", "\x00", "\xff", "é",
		"'a'.matches('((a{10}){10}){10}')||", "[a,", "a.?", "`", "//", "0x", "1e",
	} {
		text := strings.Repeat(unit, maxExpressionBytes/len(unit))
		_, err := newEnvironment(t, "a").Compile(text) // each has the time of a run for itself
		if _, ok := errors.AsType[*fault.SyntaxError](err); !ok && !guard.IsLimit(err) {
			t.Errorf("%q many times: got the error %v, want a *SyntaxError", unit, err)
		}
	}
}
