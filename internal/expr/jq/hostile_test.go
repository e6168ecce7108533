package jq

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

// outcome names the kind of error that an evaluation ends with.
func outcome(err error) string {
	var (
		limit   *guard.LimitError
		runtime *fault.RuntimeError
	)
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &limit) && strings.HasPrefix(limit.Reason, "timed out"):
		return "timeout"
	case errors.As(err, &limit):
		return "memory"
	case errors.As(err, &runtime):
		return "runtime"
	}
	return "other"
}

// hostileVariable has TestMain run an expression, and hostileReporter the process tell how it ends.
const hostileVariable = "KRM_FIELDS_HOSTILE"

type hostileReporter struct{}

func (hostileReporter) Report(err error) report.Result { return report.Result{Message: outcome(err)} }

func TestMain(m *testing.M) {
	text, isHostile := os.LookupEnv(hostileVariable)
	if !isHostile {
		os.Exit(m.Run())
	}
	guard.Start(func(failed report.Result, _ bool) {
		fmt.Println(failed.Message)
		os.Exit(0)
	})
	var limits Limits
	expression := strings.TrimPrefix(text, "quick ")
	if limits = quick; expression == text {
		limits = small
	}
	program, err := Compile(expression, limits)
	if err == nil {
		_, err = program.Run(nil, hostileReporter{})
	}
	fmt.Println(outcome(err))
}

// Where an expression can run into either limit, the other one is far away.
var (
	quick = Limits{Timeout: 50 * time.Millisecond, Memory: 1 << 30}
	small = Limits{Timeout: time.Minute, Memory: 16 << 20}
)

// TestHostile runs what would take all time or memory, each in a process of its own, which the
// guard may end.
func TestHostile(t *testing.T) {
	for _, test := range []struct {
		expression string
		limits     Limits
		want       string
	}{
		// One native step.
		{`"x" * 1000000000`, small, "memory"},
		{`"x" * 1e10`, small, "runtime"},
		{`.[1e8] = 1`, small, "memory"},
		{`setpath([1e8]; 1)`, small, "memory"},
		{`setpath([1e9]; 1)`, small, "runtime"},
		{`[range(1000)] | [., .] | [limit(2; repeat(.))] | pick(.[1e8])`, small, "memory"},
		{`[[range(3000)]] + [range(3000) | []] | transpose`, small, "memory"},
		{`jn(1e9; 2e9)`, quick, "timeout"},
		{`pow(10; 1e9)`, small, "ok"},
		{`"a" * 100000 | test("(a*)*b")`, small, "ok"},
		{`"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" | test("(a*)*b")`, small, "ok"},
		{`"a" | test("a{1000}{1000}{1000}")`, small, "runtime"},
		// Growth.
		{`reduce range(100) as $i ("x"; . + .)`, small, "memory"},
		{`reduce range(100) as $i ("x"; "\(.)\(.)")`, small, "memory"},
		{`reduce range(100) as $i ("x"; . * 2)`, small, "memory"},
		{`reduce range(100) as $i ("x"; [., .] | add)`, small, "memory"},
		{`reduce range(100) as $i ("x"; [., .] | join(""))`, small, "memory"},
		{`reduce range(100) as $i ("x"; tojson)`, small, "memory"},
		{`reduce range(100) as $i ("x"; @base64)`, small, "memory"},
		{`reduce range(100) as $i ("%"; @uri + @uri)`, small, "memory"},
		{`reduce range(100) as $i ("<"; @html + @html)`, small, "memory"},
		{`reduce range(100) as $i ("'"; @sh)`, small, "memory"},
		{`reduce range(100) as $i ("x"; explode | . + . | implode)`, small, "memory"},
		{`reduce range(100) as $i ("x"; . as $s | sub("$"; $s))`, small, "memory"},
		{`reduce range(100) as $i ("x"; ascii_upcase + ltrimstr("y"))`, small, "memory"},
		{`reduce range(100) as $i ([1]; . + .)`, small, "memory"},
		{`reduce range(100) as $i ([1]; [.[], .[]])`, small, "memory"},
		{`reduce range(100) as $i ({}; .a |= [., .] | . + {b: .})`, small, "memory"},
		{`reduce range(100) as $i ([]; [., .])`, small, "memory"},
		{`reduce range(100) as $i ([]; [., .]) | tojson`, small, "memory"},
		{`reduce range(100) as $i ([]; [., .]) | flatten`, quick, "timeout"},
		{`[reduce range(100) as $i ([]; [., .]) | (., .)] | .[0] == .[1]`, quick, "timeout"},
		{`reduce range(100) as $i ([1]; [., .]) | flatten`, small, "memory"},
		{`reduce range(100) as $i (10; . * .)`, quick, "timeout"},
		{`[range(1e9)]`, small, "memory"},
		{`[limit(1e9; repeat(1))]`, small, "memory"},
		{`[splits("")] | length as $n | [range(1e9) | $n]`, small, "runtime"},
		{`[range(10)] | [., ., ., ., ., ., ., ., ., .] | [combinations]`, small, "memory"},
		{`reduce range(1e9) as $i ([]; . + [$i])`, quick, "timeout"},
		{`"\("x" * 1e9)"`, small, "memory"},
		{`"x" | ltrimstr("x" * 1e9), rtrimstr("x" * 1e9)`, small, "memory"},
		{`"x" | splits("x" * 10000000)`, small, "memory"},
		{`[[1], [range(1e7)]] | transpose`, small, "memory"},
		{`"a" * 1000000 | [match("a"; "g")]`, small, "memory"},
		{`"a" * 1000000 | gsub(""; "x")`, small, "memory"},
		{`[range(3e6)] | tojson | fromjson`, small, "memory"},
		{`def f: tojson | f; "x" | f`, small, "memory"},
		{`[range(1e6)] | group_by(. % 2)`, small, "memory"},
		{`range(1e18)`, small, "memory"},
		// No end.
		{`def f: f; f`, quick, "timeout"},
		{`def f: [f]; f`, small, "memory"},
		{`def f: 1 + f; f`, small, "memory"},
		{`def f(g): f(g | g); f(.)`, small, "memory"},
		{`until(false; .)`, quick, "timeout"},
		{`last(range(1e12))`, quick, "timeout"},
		{`last(repeat(1))`, quick, "timeout"},
		{`first(range(1e12) | select(. < 0))`, quick, "timeout"},
		{`try (until(false; .)) catch .`, quick, "timeout"},
		{`(until(false; .))? // 1`, quick, "timeout"},
		{`label $x | until(false; .) | break $x`, quick, "timeout"},
		{`[recurse([.])]`, small, "memory"},
		{`last(recurse([.]))`, small, "memory"},
		{`walk(until(false; .))`, quick, "timeout"},
		{`[.[]?] | until(length > 1e9; . + .)`, quick, "timeout"},
		{`reduce repeat(1) as $i (0; $i)`, quick, "timeout"},
		{`foreach repeat(1) as $i (0; $i; empty)`, quick, "timeout"},
		{`try repeat(error("x")) catch 1`, small, "ok"},
		{`[limit(-1; repeat(1))]`, small, "runtime"},
		// Depth.
		{`reduce range(20000) as $i (null; [.])`, small, "runtime"},
		{`reduce range(9000) as $i (null; [.])`, small, "ok"},
		{`reduce range(1000000) as $i (null; [.]) | tojson | length`, small, "memory"},
		{`[reduce range(100000) as $i (null; [.]) | (., .)] | .[0] == .[1]`, small, "memory"},
		{`reduce range(3000) as $i (null; [.]) | flatten`, small, "ok"},
		{`"[" * 20000 | fromjson`, small, "runtime"},
		{`"[" * 9000 + "]" * 9000 | fromjson`, small, "ok"},
		{`[limit(20000; repeat("a"))] as $p | null | getpath($p)`, small, "ok"},
		{`reduce range(20000) as $i (null; {a: .}) | [paths] | length`, quick, "timeout"},
		// Odd values.
		{`"!!!" | try @base64d catch 1`, small, "ok"},
		{`"!!!" | @base32d`, small, "runtime"},
		{`[1114112, 55296, -1, 1e18] | implode`, small, "ok"},
		{`["x"] | implode`, small, "runtime"},
		{`.[1000000000] = 1`, small, "runtime"},
		{`.[-1e18], .[nan], .[infinite], .[1e18:], .[:-infinite]`, small, "ok"},
		{`.[-1e18] = 1`, small, "runtime"},
		{`[1, 2] | .[1e9:] = [1]`, small, "ok"},
		{`[1, 2] | .["a":"b"]`, small, "runtime"},
		{`[[1, 2], 3] | flatten(1e9)`, small, "ok"},
		{`flatten(-1)`, small, "runtime"},
		{`limit(0; error)`, small, "ok"},
		{`try error catch .`, small, "ok"},
		{`{"a": [1]} | .. |= ., del(..), delpaths([paths]), [paths(..)]`, small, "ok"},
		{`{"a": [1]} | getpath(["a", "b"])`, small, "runtime"},
		{`"abc" | sub("(?<x>b)"; .x + "y"), sub("(?<x>b)"; "\(.x)y"), ascii_downcase`, small, "ok"},
		{`1e1000000000, 1e-1000000000, significand?, (1 | abs, significand, tojson, @sh)`, small, "ok"},
		{`. as {a: $x, $__loc__} | $x`, small, "ok"},
		{`"2015-03-05T23:51:47Z" | fromdate | todate, strftime("%Y")`, small, "ok"},
		{`nan, infinite, -infinite | tojson`, small, "ok"},
		{`[nan] | sort | .[nan]`, small, "ok"},
		{`"\u0000\ud800" | ., tojson, @sh, explode`, small, "ok"},
		{`error(null)`, small, "runtime"},
		{`error`, small, "runtime"},
		{`getpath(["a", 1e20])`, small, "ok"},
		{`{"a": 1} | getpath(["a", 1e20])`, small, "runtime"},
		{`1e1000, -1e1000, 123456789012345678901234567890`, small, "ok"},
		{`[9007199254740993] | tojson | fromjson`, small, "ok"},
		{`"1e999999999" | tonumber`, small, "ok"},
		{`[.] | .[-1e300:1e300]`, small, "ok"},
	} {
		text := test.expression
		if test.limits == quick {
			text = "quick " + text
		}
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), hostileVariable+"="+text)
		output, err := command.CombinedOutput()
		if got := strings.TrimSpace(string(output)); got != test.want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", test.expression, got, err, test.want)
		}
	}
}

func TestContextEndsEvaluation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	program, err := Compile(`until(false; .)`, Limits{Timeout: time.Minute, Context: ctx})
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(10*time.Millisecond, cancel)
	for _, state := range []string{"in flight", "not begun"} {
		if _, err := program.Run(nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %v", state, err, context.Canceled)
		}
	}
}

func TestLimitMessages(t *testing.T) {
	for _, test := range []struct {
		expression string
		limits     Limits
		want       string
	}{
		{".a[] | until(false; .)", Limits{Timeout: 50 * time.Millisecond},
			"JQ expression timed out after 50ms: '.a[] | until(false; .)'"},
		{"until(false; .)", Limits{Timeout: time.Microsecond}, "JQ expression timed out after 1µs: 'until(false; .)'"},
		{`"x" * 20000000`, Limits{Memory: 16 << 20}, `JQ expression exceeded 16Mi of memory: '"x" * 20000000'`},
		{"[range(1e7)]", Limits{Timeout: time.Minute, Memory: 1000 << 10},
			"JQ expression exceeded 1000Ki of memory: '[range(1e7)]'"},
		{"[range(1e5)]", Limits{Timeout: time.Minute, Memory: 1000},
			"JQ expression exceeded 1k of memory: '[range(1e5)]'"},
	} {
		program, err := Compile(test.expression, test.limits)
		if err != nil {
			t.Fatal(err)
		}
		_, err = program.Run(map[string]any{"a": []any{"xx"}}, nil)
		if err == nil || err.Error() != test.want {
			t.Errorf("got %v\nwant %s", err, test.want)
		}
	}
}

// TestHostileInput evaluates modest expressions on values that are not.
func TestHostileInput(t *testing.T) {
	deep := any(nil)
	for range 9000 {
		deep = []any{deep}
	}
	bomb := any("x")
	for range 64 {
		bomb = []any{bomb, bomb}
	}
	wide := make([]any, 200_000)
	for i := range wide {
		wide[i] = map[string]any{"name": fmt.Sprint(i)}
	}
	limits := Limits{Timeout: 10 * time.Second, Memory: 256 << 20}
	for _, test := range []struct {
		name, expression string
		value            any
		limits           Limits
		want             string
	}{
		{"deep", ".a[0] | select(. != null)", deep, limits, "ok"},
		{"deep", "[..] | length", deep, limits, "ok"},
		{"bomb", ".a[0][0] | select(type == \"array\")", bomb, limits, "memory"},
		{"long text", ".a | length", strings.Repeat("x", 50<<20), limits, "ok"},
		{"long text", ".a", strings.Repeat("x", 50<<20), limits, "ok"},
		{"long text", ".a | . + .", strings.Repeat("x", 150<<20), limits, "memory"},
		{"wide", `.a | map(select(.name | endswith("9"))) | length`, wide, limits, "ok"},
		{"wide", ".a[] | .name", wide, limits, "ok"},
		{"not UTF-8", ".a | tojson, ascii_downcase, explode", "\xff\xfe\x00", limits, "ok"},
	} {
		program, err := Compile(test.expression, test.limits)
		if err != nil {
			t.Fatal(err)
		}
		_, err = program.Run(map[string]any{"a": test.value}, nil)
		if got := outcome(err); got != test.want {
			t.Errorf("%s, %s: got %s (%v), want %s", test.name, test.expression, got, err, test.want)
		}
	}
}
