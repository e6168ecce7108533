package jq

import (
	"errors"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/guard"
)

func TestCompileRefuses(t *testing.T) {
	const (
		empty    = "must not be empty; write a path expression such as .spec.replicas"
		end      = "; close what is open, and write a filter such as .a behind an operator"
		inQuotes = `a key such as a-b/c must be in quotes: ."a-b/c"`
	)
	for _, test := range []struct{ expression, want string }{
		{"", empty},
		{" \n ", empty},
		{"# a comment alone", empty},
		{".a) | (.b", `line 1, column 3: unexpected token ")"`},
		{"(.a | .b", "line 1, column 9: unexpected EOF" + end},
		{".a\n| [.b", "line 2, column 6: unexpected EOF" + end},
		{`.a == "x`, "line 1, column 9: unterminated string literal" + end},
		{"if then .a end", `line 1, column 4: unexpected token "then"`},
		{".ä.b", `line 1, column 2: unexpected token "ä"`},
		{`"a\q"`, `line 1, column 3: invalid escape sequence "\q" in string literal`},
		{".a['b']", `line 1, column 4: unexpected token "'"; a string must be in double quotes: "a"`},
		{`.a =~ "b"`, `line 1, column 5: unexpected token "~"; a regular expression is written test("...")`},
		{".a && .b", `line 1, column 4: unexpected token "&"; write 'and' for &&`},
		{"!.a", `line 1, column 1: unexpected token "!"; write '| not' for !`},
		{`.a | select(name == "x" and name != "y")`, `function not defined: name/0; write .name for a field, "name" for a string; ` + inQuotes},
		{".a\x00 | .b", "line 1, column 3: must not have a NUL character"},
		{".a # \x00", "line 1, column 6: must not have a NUL character"},
		{".a == \"\xff\"", "line 1, column 8: must be valid UTF-8"},
		{".data.my-key", `line 1, column 10: function not defined: key/0; write .key for a field, "key" for a string; ` + inQuotes},
		{".a | nope(1; 2)", "line 1, column 6: function not defined: nope/2"},
		{".a == $x", "line 1, column 7: variable not defined: $x"},
		{"$x.a", "line 1, column 1: variable not defined: $x"},
		{".a | $__loc__", "line 1, column 6: variable not defined: $__loc__"},
		{"break $out", "line 1, column 7: label not defined: $out"},
		{"def f: .a;", `missing query (try ".")`},
		{"env", "line 1, column 1: 'env' must not be used: an expression can't read the environment"},
		{".a == $ENV.HOME", "line 1, column 7: '$ENV' must not be used: an expression can't read the environment"},
		{"{$ENV}", "line 1, column 2: '$ENV' must not be used: an expression can't read the environment"},
		{".a < now", "line 1, column 6: 'now' must not be used: an expression can't read the clock or the time zone"},
		{"def now: 1; now", "'now' must not be used: an expression can't read the clock or the time zone"},
		{`"\(0 | localtime)"`, "line 1, column 8: 'localtime' must not be used: an expression can't read the clock or the time zone"},
		{`0 | strflocaltime("%Z")`, "line 1, column 5: 'strflocaltime' must not be used: an expression can't read the clock or the time zone"},
		{"input", "line 1, column 1: 'input' must not be used: an expression sees one object; there is no other input"},
		{"[inputs]", "line 1, column 2: 'inputs' must not be used: an expression sees one object; there is no other input"},
		{"input_filename", "line 1, column 1: 'input_filename' must not be used: an expression sees one object; there is no other input"},
		{"input_line_number", "line 1, column 1: 'input_line_number' must not be used: an expression sees one object; there is no other input"},
		{".a | debug", "line 1, column 6: 'debug' must not be used: an expression can't write anything but its results"},
		{"debug(.a)", "line 1, column 1: 'debug' must not be used: an expression can't write anything but its results"},
		{"stderr", "line 1, column 1: 'stderr' must not be used: an expression can't write anything but its results"},
		{"if . then halt else . end", "line 1, column 11: 'halt' must not be used: an expression can't end the run"},
		{"halt_error", "line 1, column 1: 'halt_error' must not be used: an expression can't end the run"},
		{"halt_error(1)", "line 1, column 1: 'halt_error' must not be used: an expression can't end the run"},
		{`"a" | modulemeta`, "line 1, column 7: 'modulemeta' must not be used: an expression can't load modules"},
		{"get_search_list", "line 1, column 1: 'get_search_list' must not be used: an expression can't load modules"},
		{`import "a" as a; .`, "an expression can't load modules"},
		{`include "a"; .`, "an expression can't load modules"},
		{`module {}; .`, "an expression can't load modules"},
		{strings.Repeat(" ", maxLength) + ".", "must be at most 65536 bytes long, found 65537"},
		{strings.Repeat("(", 100_000) + "." + strings.Repeat(")", 100_000), "must be at most 65536 bytes long, found 200001"},
		{nested("(", ")", 201), "must be at most 200 levels deep, found 201"},
		{nested("[", "]", 201), "must be at most 200 levels deep, found 201"},
		{nested("{a:", "}", 201), "must be at most 200 levels deep, found 201"},
		{nested(".[", "]", 201), "must be at most 200 levels deep, found 201"},
		{nested(`"\(`, `)"`, 101), "must be at most 200 levels deep, found 202"},
		{nested("select(", ")", 201), "must be at most 200 levels deep, found 201"},
		{nested("if . then ", " end", 201), "must be at most 200 levels deep, found 201"},
		{nested("def f: ", "; f", 201), "must be at most 200 levels deep, found 201"},
		{nested("reduce . as $x (.; ", ")", 201), "must be at most 200 levels deep, found 201"},
		{nested("try ", "", 201), "must be at most 200 levels deep, found 201"},
		{nested("-", "", 201), "must be at most 200 levels deep, found 201"},
		{nested(". as $x | ", "", 201), "must be at most 200 levels deep, found 201"},
		{nested("label $x | ", "", 201), "must be at most 200 levels deep, found 201"},
		{nested("1 + ", "", 201), "must be at most 200 levels deep, found 201"},
	} {
		for _, compile := range []func() error{
			func() error { _, err := Compile(test.expression, Limits{}); return err },
			func() error { _, err := CompilePath(test.expression, Limits{}); return err },
		} {
			err := compile()
			var syntax *fault.SyntaxError
			if !errors.As(err, &syntax) {
				t.Errorf("%.80q: got %v, want a *SyntaxError", test.expression, err)
			} else if err.Error() != test.want {
				t.Errorf("%.80q:\n got %s\nwant %s", test.expression, err, test.want)
			}
		}
	}
}

func nested(before, after string, levels int) string {
	return strings.Repeat(before, levels) + "." + strings.Repeat(after, levels)
}

func TestCompileTakesTheLargest(t *testing.T) {
	chain := func(link string) string {
		return strings.Repeat(link, (maxLength-1)/len(link)) + "."
	}
	for _, expression := range []string{
		nested("(", ")", 200), nested("[", "]", 200), nested("select(", ")", 200), nested("-", "", 200),
		chain(".|"), chain(".,"), chain(".//"), chain(". and "), chain("select(.)|"), chain("def f:.;"),
		"." + strings.Repeat("[]", (maxLength-1)/2), strings.Repeat(".a", maxLength/2),
		"." + strings.Repeat("?", maxLength-1), `"` + strings.Repeat("a", maxLength-2) + `"`,
		strings.Repeat(" ", maxLength-1) + ".", "." + strings.Repeat("#", maxLength-1),
		"[" + strings.Repeat("1,", maxLength/2-2) + "1]",
	} {
		if _, err := Compile(expression, Limits{}); err != nil && !guard.IsLimit(err) { // of time, on a busy machine
			t.Errorf("%.80q of %d bytes: %.80s", expression, len(expression), err)
		}
	}
}

func TestPrefix(t *testing.T) {
	for expression, want := range map[string]string{
		".":                         "",
		".a":                        "a",
		".a.b[].c":                  "a b",
		`.a."b"["c"] | .d`:          "a b c",
		`.["a"][0]`:                 "a",
		".a.b?":                     "a",
		".a?.b":                     "",
		".a[]?.b":                   "a",
		".a.b.[0]":                  "a b",
		".a | .b":                   "a",
		".a, .b":                    "",
		".a // .b":                  "",
		".a as $x | .b":             "",
		"(.a.b)":                    "",
		"def f: .b; .a | f":         "",
		".a | def f: .b; f":         "a",
		".a.b | to_entries":         "a b",
		".a == 1":                   "",
		"..":                        "",
		`."a\("b")"`:                "",
		".a[.b]":                    "",
		".a[1:]":                    "a",
		"try .a":                    "",
		"if .a then .a else .b end": "",
	} {
		path, err := CompilePath(expression, Limits{})
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if got := strings.Join(path.Prefix(), " "); got != want {
			t.Errorf("%s: got the prefix %q, want %q", expression, got, want)
		}
	}
}

// TestConstant has expressions that are no path of any input, and their like that may be one.
func TestConstant(t *testing.T) {
	for _, expression := range []string{
		`"x"`, "null", "1, 2", "-1", `"a" + 1`, `.spec | "x"`, `(1, ("a", true))`, "if .a then 1 elif .b then 2 else 3 end", "1 < 2",
		"1 / 2 * 3 % 4", ". as $x | 1", `1 // "x"`, "true and false",
	} {
		_, err := CompilePath(expression, Limits{})
		if syntax, ok := errors.AsType[*fault.SyntaxError](err); !ok || !strings.Contains(syntax.Reason, "this one yields a constant") {
			t.Errorf("%s: got %v, want the fault of a constant", expression, err)
		}
		if _, err := Compile(expression, Limits{}); err != nil {
			t.Errorf("%s as a filter: got %v", expression, err)
		}
	}
	for _, expression := range []string{
		"empty", ".a, 1", `.a // "x"`, "if .a then 1 end", "if .a then 1 else .b end", `"a,b" / ","`, "{}", "[]", "[1]", ".a + 1", `"\(.a)"`, `"a"[0:1]`,
		"1 as $x | $x", "def f: 1; f",
	} {
		if _, err := CompilePath(expression, Limits{}); err != nil {
			t.Errorf("%s: got %v", expression, err)
		}
	}
}
