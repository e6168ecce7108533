package cel

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/quota"
)

// nest returns an expression of nested levels.
func nest(opening, innermost, closing string, levels int) string {
	return strings.Repeat(opening, levels) + innermost + strings.Repeat(closing, levels)
}

// TestNestingIsLimited has what nests the types of an expression: up to 64 levels it compiles.
func TestNestingIsLimited(t *testing.T) {
	e := newEnvironment(t, Resource)
	for name, write := range map[string]func(levels int) string{
		"maps":                   func(n int) string { return nest(`{"a":`, "1", "}", n) },
		"lists":                  func(n int) string { return nest("[", "1", "]", n) },
		"lists of two":           func(n int) string { return nest("[1,", "1", "]", n) },
		"optional values":        func(n int) string { return nest("optional.of(", "1", ")", n) },
		"loops in a row":         func(n int) string { return chain("[1]", ".map(x, [x])", n-1) },
		"loops in one another":   func(n int) string { return nest("[1].map(x,", "x", ")", n) },
		"lists that are joined":  func(n int) string { return "[] + " + nest("[", "1", "]", n) },
		"lists that are chosen":  func(n int) string { return "true ? dyn(1) : " + nest("[", "1", "]", n) },
		"values of optional.of":  func(n int) string { return chain("[1]", ".map(x, optional.of(x))", n-1) },
		"results of math":        func(n int) string { return nest("[", "math.greatest([1])", "]", n) },
		"results of another one": func(n int) string { return nest("[", "lists.range(3)", "]", n-1) },
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := e.Compile(write(maxTypeDepth)); err != nil {
				t.Errorf("%d levels: %v", maxTypeDepth, err)
			}
			_, err := e.Compile(write(maxTypeDepth + 1))
			fault, ok := errors.AsType[*SyntaxError](err)
			want := "lists, maps and optional values must be nested at most 64 levels deep, found 65"
			if !ok || fault.Reason != want {
				t.Errorf("%d levels: %v, want %s", maxTypeDepth+1, err, want)
			}
		})
	}
}

// TestNestingIsNoLengthOfAChain has expressions that are long and whose types are not deep.
func TestNestingIsNoLengthOfAChain(t *testing.T) {
	e := newEnvironment(t, Resource)
	for _, expression := range []string{
		chain("[1]", ".map(x, x)", 100),
		chain(`"a"`, ".trim()", 100),
		chain("1", " + 1", 100),
		chain("[[1]]", " + [[1]]", 100),
		chain("resource", `[?"a"]`, 100),
		nest("[", "1", "]", 60) + chain("", "[0]", 60),
		nest("[[", "1", "]][0]", 40),
		nest("dyn([", "1", "])", 60),
		chain("resource", ".a", 100),
		chain("true ? [1] : ", "true ? [1] : ", 80) + "[1]",
	} {
		if _, err := e.Compile(expression); err != nil {
			t.Errorf("%.40s…: %v", expression, err)
		}
	}
}

// TestCompilationIsShared has expressions that compile alone, and not together.
func TestCompilationIsShared(t *testing.T) {
	for name, expression := range map[string]string{
		"deep":          nest(`{"a":`, "1", "}", maxTypeDepth),
		"wide":          "[" + strings.Repeat("[],", 1000) + "1]",
		"equal":         "[" + strings.Repeat("1==1,", 1000) + "1]",
		"in":            "[" + strings.Repeat("1 in [1],", 500) + "1]",
		"loops":         "[" + strings.Repeat("[1].map(x,x),", 300) + "1]",
		"long":          "[" + strings.Repeat("'a',", 5000) + "1]",
		"patterns":      `"a".matches(r"` + strings.Repeat(`\pL`, 1000) + `")`,
		"no expression": strings.Repeat("a < b >", 8000),
	} {
		t.Run(name, func(t *testing.T) {
			var shared quota.Compilation
			if err := shared.Spend(quota.CompilationUnits - 4_000_000); err != nil { // the rest is quicker to use up
				t.Fatal(err)
			}
			count := 0
			for ; count < 1000; count++ {
				e, err := NewEnvironment(Options{Variables: []string{Resource, fmt.Sprintf("v%d", count)}, Compilation: &shared})
				if err != nil {
					t.Fatal(err)
				}
				_, err = e.Compile(expression)
				if err != nil && strings.Contains(err.Error(), (&quota.CompilationError{}).Error()) {
					break
				}
				if err != nil && name != "no expression" {
					t.Fatal(err)
				}
			}
			if count == 0 || count == 1000 {
				t.Errorf("%d compile together, want more than none and not all", count)
			}
		})
	}
}
