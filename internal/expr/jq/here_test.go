//go:build !js

package jq

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestHeldExpressions runs without a child what would take all time or memory, step by step.
func TestHeldExpressions(t *testing.T) {
	quick := request{memory: 1 << 30}
	small := request{memory: 2 << 20}
	for _, test := range []struct {
		expression string
		limits     request
		timeout    time.Duration
		want       error
	}{
		{`def f: f; f`, quick, 50 * time.Millisecond, errTimeout},
		{`until(false; .)`, quick, 50 * time.Millisecond, errTimeout},
		{`try (until(false; .)) catch .`, quick, 50 * time.Millisecond, errTimeout},
		{`last(range(1e12))`, quick, 50 * time.Millisecond, errTimeout},
		{`[range(1e9)]`, small, time.Minute, errMemory},
		{`def f: [f]; f`, small, time.Minute, errMemory},
		{`last(recurse([.]))`, small, time.Minute, errMemory},
		{`range(1e18)`, small, time.Minute, errMemory},
		{`[range(1000)] | map(. * 2) | add`, small, time.Minute, nil},
	} {
		t.Run(test.expression, func(t *testing.T) {
			r := test.limits
			r.expression, r.mode = test.expression, filterMode
			if results, err := (here{}).evaluate(r, test.timeout); !errors.Is(err, test.want) || err == nil && len(results) != 1 {
				t.Errorf("got %v and the error %v, want %v", results, err, test.want)
			}
		})
	}
}

// TestHeldAsInAChild compares the paths that both find.
func TestHeldAsInAChild(t *testing.T) {
	value := map[string]any{"a": []any{1, map[string]any{"b": "x"}, nil}, "c": "d"}
	for _, expression := range []string{`first(.a[] | numbers)`, `.. | strings`, `.a[] | objects | .b`, `to_entries | map(select(.key == "c")) | from_entries`} {
		r := request{mode: pathMode, expression: expression, memory: DefaultMemory, value: value}
		got, err := here{}.evaluate(r, time.Minute)
		want, wantErr := children.evaluateAlone(t.Context(), r, time.Minute)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil || wantErr != nil {
			t.Errorf("%s (-child +here): %s\n%v, %v", expression, diff, wantErr, err)
		}
	}
}
