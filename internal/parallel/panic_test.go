package parallel

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// caught returns the error for the panic of do.
func caught(do func()) (e *PanicError) {
	defer func() { e = Recovered(recover()) }()
	do()
	return nil
}

func index(list []string, i int) string { return list[i] }

func set(m map[string]int, key string) { m[key] = 1 }

func TestRecovered(t *testing.T) {
	inner := &PanicError{Reason: "raised in another goroutine", Function: "x.y", File: "y.go", Line: 7}
	for name, test := range map[string]struct {
		do   func()
		want *PanicError
	}{
		"error of the runtime": {
			func() { index([]string{"hunter2"}, 3) },
			&PanicError{Reason: "runtime error: index out of range [3] with length 1", Function: "parallel.index", File: "panic_test.go"},
		},
		"nil map": {
			func() { set(nil, "hunter2") },
			&PanicError{Reason: "assignment to entry in nil map", Function: "parallel.set", File: "panic_test.go"},
		},
		"text with a value": {
			func() { panic("can't read hunter2") },
			&PanicError{Reason: "a panic (string)", Function: "parallel.TestRecovered.func3", File: "panic_test.go"},
		},
		"error with a value": {
			func() { panic(errors.New("can't read hunter2")) },
			&PanicError{Reason: "a panic (*errors.errorString)", Function: "parallel.TestRecovered.func4", File: "panic_test.go"},
		},
		"raised again": {func() { panic(inner) }, inner},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, caught(test.do), cmpopts.IgnoreFields(PanicError{}, "Line")); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMessage(t *testing.T) {
	e := &PanicError{Reason: "a panic (string)", Function: "tree.Parse", File: "parse.go", Line: 12}
	want := "krm-fields has a bug: a panic (string) in tree.Parse (parse.go:12); " +
		"please report it at https://github.com/krm-fields/krm-fields/issues"
	if got := e.Error(); got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}
