package jq

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"
)

// TestDescribe goes through the errors of gojq, whose texts are read.
func TestDescribe(t *testing.T) {
	for _, test := range []struct{ expression, want string }{
		{`1 | .a`, "expected an object but got number"},
		{`{} | .[0]`, "expected an array but got object"},
		{`{} as [$x] | $x`, "expected an array but got object"},
		{`true[]`, "cannot iterate over boolean"},
		{`null[]`, "cannot iterate over null; []? skips what is missing"},
		{`.[-1] = 1`, "setpath([-1]; 1) cannot be applied to null: array index should not be negative: -1"},
		{`.[1e9] = 1`, "setpath([1000000000]; 1) cannot be applied to null: array index too large: 1000000000"},
		{`"abc" * 1e10`, `repeat string result too large: "abc" * 10000000000`},
		{`{(1): 2}`, "expected a string for object key but got number"},
		{`[] | .[true]`, "expected a number for indexing an array but got boolean"},
		{`"a" | .[null]`, "expected a number for indexing a string but got null"},
		{`[] | .[{}]`, `expected "start" and "end" for slicing but got object`},
		{`[1, 2] | _min_by([1])`, "min_by([1]) cannot be applied to [1,2]: length mismatch"},
		{`true | length`, "length cannot be applied to boolean"},
		{`true | has(1)`, "has(1) cannot be applied to: boolean (true)"},
		{`"a" | match(1; 2)`, `match(1; 2) cannot be applied to: string ("a")`},
		{`"x" | fromjson`, `fromjson cannot be applied to "x": invalid character 'x' looking for beginning of value`},
		{`"x" | strptime("%Y")`, `strptime("%Y") cannot be applied to "x": failed to parse "x" with "%Y": cannot parse "%Y"`},
		{`[] | flatten(-1)`, "flatten depth should not be negative: -1"},
		{`["a"] | mktime`, `mktime cannot be applied to ["a"]: expected an array of 8 numbers`},
		{`1e300 | gmtime`, "gmtime cannot be applied to 1e+300: number of seconds is out of range"},
		{`[1e300] | mktime`, "mktime cannot be applied to [1e+300]: number is out of range"},
		{`-"a"`, "cannot negate string"},
		{`1 + {}`, "cannot add: number (1) and object ({})"},
		{`1 / 0`, "cannot divide number (1) by: number (0)"},
		{`1 % 0`, "cannot modulo number (1) by: number (0)"},
		{`format("x")`, "format not defined: @x"},
		{`[[]] | @csv`, "@csv cannot format an array including array"},
		{`path(1)`, "the expression computes a value and goes on from number, so it selects no field"},
		{`path([1][])`, "the expression computes a value and goes on from array, so it selects no field"},
		{`"a" | test("(")`, "invalid regular expression \"(\": error parsing regexp: missing closing ): `(`"},
		{`"a" | test("a"; "q")`, `unsupported regular expression flag: "q"`},
		{`1 | fromjson`, "fromjson only works on strings"},
		{`1 | startswith("a")`, "startswith only works on strings"},
		{`"a" | startswith(1)`, `startswith(1) cannot be applied to: string ("a")`},
		{`try error("x") catch error`, "x"},
		{`.[1e5] | error`, "null"},
		{`label $a | def f: break $a; [f] | f`, ""},
	} {
		query, err := gojq.Parse(test.expression)
		if err != nil {
			t.Fatalf("%s: %v", test.expression, err)
		}
		got := ""
		result, _ := query.Run(nil).Next()
		if err, isError := result.(error); isError {
			got = describe(err).cause
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: cause (-want +got):\n%s", test.expression, diff)
		}
	}
}
