package jq

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/itchyny/gojq"
)

// series writes n numbered texts, one behind the other.
func series(n int, format, separator string) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(texts, separator)
}

// TestCompileIsBounded has expressions whose compilation takes seconds or gigabytes.
func TestCompileIsBounded(t *testing.T) {
	const alternatives = "; each variable costs a step in each alternative of ?//; use fewer of either"
	for _, test := range []struct{ name, expression, fix string }{
		{"alternatives", ". as " + series(2300, "$a%d", " ?// ") + " | .", alternatives},
		{"alternatives in reduce", "reduce . as " + series(2300, "$a%d", "?//") + " (.; .)", alternatives},
		{"alternatives in foreach", "foreach . as " + series(2300, "[$a%d]", "?//") + " (.; .)", alternatives},
		{"alternatives beside many variables", ". as [" + series(1500, "$a%d", ",") + "]" + strings.Repeat("?//$a", 1500) + " | .", alternatives},
		{"alternatives of keys", ". as " + series(1500, "{$a%d: $b}", "?//") + " | .", alternatives},
		{"calls of itself", "def f: f" + strings.Repeat(",f", 30_000) + "; f", ""},
	} {
		for _, compile := range []func(string, Limits) error{
			func(text string, l Limits) error { _, err := Compile(text, l); return err },
			func(text string, l Limits) error { _, err := CompilePath(text, l); return err },
		} {
			syntax, isSyntax := errors.AsType[*SyntaxError](compile(test.expression, Limits{}))
			const reason = "must take at most 500000 steps to compile, found "
			if !isSyntax || !strings.HasPrefix(syntax.Reason, reason) || "; "+syntax.Fix != test.fix && syntax.Fix != test.fix {
				t.Errorf("%s: got %v, want that it must take at most 500000 steps%s", test.name, syntax, test.fix)
			}
		}
	}
}

// TestWork holds usual expressions to few steps.
func TestWork(t *testing.T) {
	for expression, most := range map[string]int{
		".": 2, ".spec.replicas": 4, `.metadata.annotations["a.b/c"]`: 10,
		`.spec.template.spec.containers[] | select(.name == "app") | .image`:             32,
		`.data | to_entries | map(select(.key | startswith("dynamic-"))) | from_entries`: 78,
		`.spec as {a: $a} ?// [$a] | .b`:                                                 49,
	} {
		query, err := gojq.Parse(expression)
		if err != nil {
			t.Fatal(err)
		}
		if got := workOf(query); got > most {
			t.Errorf("%s takes %d steps, want at most %d", expression, got, most)
		}
	}
}

// TestCompilationIsShared has expressions that together take more than a run may have.
func TestCompilationIsShared(t *testing.T) {
	works := map[string]int{"a": 400_000, "b": 300_000, "c": 250_000, "d": 90_000}
	for _, order := range []string{"abcd", "dcba", "abcdabcd", "cadb"} {
		c := NewCompilation()
		for _, name := range strings.Split(order, "") {
			_ = c.add(name, 10) // its text
			_ = c.add(name, works[name])
		}
		if _, isTooMuch := errors.AsType[*CompilationError](c.Err()); !isTooMuch {
			t.Errorf("%s: got %v, want a *CompilationError", order, c.Err())
		}
		_, err := CompilePath(".a", Limits{Compilation: c})
		want := "the JQ expressions of a run must take at most 1000000 steps to compile, all together; " +
			"use fewer or shorter ones; equal ones count once"
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", order, err, want)
		}
	}
}

// TestCompilationCountsOnce compiles the same expressions in a run over and over.
func TestCompilationCountsOnce(t *testing.T) {
	c := NewCompilation()
	text := "." + strings.Repeat("[not]", 2000)
	for range 100 {
		if _, err := CompilePath(text, Limits{Compilation: c}); err != nil {
			t.Fatal(err)
		}
		if _, err := CompilePath(".a b", Limits{Compilation: c}); err == nil {
			t.Fatal("no error, want a *SyntaxError")
		}
	}
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}
