package jq

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"
)

// TestDescribe goes through the error types of gojq. The texts that we give to them are bound to
// the names of those types.
func TestDescribe(t *testing.T) {
	undescribed := maps.Clone(causes)
	for _, test := range []struct{ expression, want string }{
		{`1 | .a`, "expected an object but got number"},
		{`{} | .[0]`, "expected an array but got object"},
		{`{} as [$x] | $x`, "expected an array but got object"},
		{`true[]`, "cannot iterate over boolean"},
		{`null[]`, "cannot iterate over null"},
		{`.[-1] = 1`, "setpath(array; number) cannot be applied to this null: an array index must not be negative"},
		{`.[1e9] = 1`, "setpath(array; number) cannot be applied to this null: an array index is too large"},
		{`"abc" * 1e10`, "the result of repeating a string is too large"},
		{`{(1): 2}`, "expected a string for an object key but got number"},
		{`[] | .[true]`, "expected a number for indexing an array but got boolean"},
		{`"a" | .[null]`, "expected a number for indexing a string but got null"},
		{`[] | .[{}]`, `expected "start" and "end" for slicing but got object`},
		{`[1, 2] | _min_by([1])`, "min_by(array) cannot be applied to this array: the lengths differ"},
		{`true | length`, "length cannot be applied to boolean"},
		{`true | has(1)`, "has(number) cannot be applied to boolean"},
		{`"a" | match(1; 2)`, "match(number; number) cannot be applied to string"},
		{`"x" | fromjson`, "fromjson cannot be applied to this string"},
		{`"x" | strptime("%Y")`, "strptime(string) cannot be applied to this string"},
		{`[] | flatten(-1)`, "the depth of flatten must not be negative"},
		{`["a"] | mktime`, "mktime cannot be applied to this array: a time must be an array of 8 numbers"},
		{`1e300 | gmtime`, "gmtime cannot be applied to this number: the number of seconds is out of range"},
		{`[1e300] | mktime`, "mktime cannot be applied to this array: a number of a time is out of range"},
		{`-"a"`, "cannot negate string"},
		{`1 + {}`, "cannot add number and object"},
		{`1 / 0`, "cannot divide number by zero"},
		{`1 % 0`, "cannot divide number by zero"},
		{`format("x")`, "there is no such format"},
		{`[[]] | @csv`, "@csv cannot format an array with array in it"},
		{`path(1)`, "the expression computes a value and goes on from number, so it selects no field"},
		{`path([1][])`, "the expression computes a value and goes on from array, so it selects no field"},
		{`"a" | test("(")`, "a regular expression or its flags are not valid"},
		{`"a" | test("a"; "q")`, "a regular expression or its flags are not valid"},
		{`1 | fromjson`, "fromjson only works on strings"},
		{`1 | startswith("a")`, "startswith only works on strings"},
		{`"a" | startswith(1)`, "startswith(number) cannot be applied to string"},
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
			noteTypes(undescribed, reflect.ValueOf(err))
			got = describe(err).cause
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: cause (-want +got):\n%s", test.expression, diff)
		}
	}
	// A break only leaves gojq where it is raised outside of its label, which no expression has
	// been found to do.
	delete(undescribed, "breakError")
	if len(undescribed) > 0 {
		t.Errorf("no expression yields %v", slices.Sorted(maps.Keys(undescribed)))
	}
}

// noteTypes takes the type of an error and of those in it off the list.
func noteTypes(list map[string]string, err reflect.Value) {
	for err.Kind() == reflect.Pointer || err.Kind() == reflect.Interface {
		err = err.Elem()
	}
	if err.Kind() != reflect.Struct {
		return
	}
	delete(list, err.Type().Name())
	if inner := err.FieldByName("err"); inner.IsValid() {
		noteTypes(list, inner)
	}
}
