package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/pprof/profile"
)

// stack makes a sample of functions on lines, the innermost first. Those of one group are inlined
// into the last of it.
func stack(count int64, groups ...[]profile.Line) *profile.Sample {
	s := &profile.Sample{Value: []int64{count, count * 1000}}
	for _, lines := range groups {
		s.Location = append(s.Location, &profile.Location{Line: lines})
	}
	return s
}

func at(f *profile.Function, line int64) profile.Line { return profile.Line{Function: f, Line: line} }

func TestPrune(t *testing.T) {
	a := &profile.Function{Name: "a", StartLine: 10}
	b := &profile.Function{Name: "b", StartLine: 20}
	c := &profile.Function{Name: "c", StartLine: 30}
	full := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Sample: []*profile.Sample{
			stack(80, []profile.Line{at(c, 31), at(b, 22)}, []profile.Line{at(a, 13)}),
			stack(15, []profile.Line{at(c, 32)}, []profile.Line{at(a, 14)}),
			stack(5, []profile.Line{at(b, 23)}, []profile.Line{at(b, 24)}, []profile.Line{at(b, 24)}, []profile.Line{at(a, 15)}),
			stack(3, []profile.Line{at(a, 16)}),
		},
	}
	for share, want := range map[float64][]string{
		0.5: {"a+3 b 80", "b+2 c 80"},
		0.9: {"a+3 b 80", "b+2 c 80", "a+4 c 15"},
		1:   {"a+3 b 80", "b+2 c 80", "a+4 c 15", "a+5 b 5", "b+4 b 5"},
	} {
		pruned := prune(full, share)
		if err := pruned.CheckValid(); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range pruned.Sample {
			callee, caller := s.Location[0].Line[0], s.Location[1].Line[0]
			got = append(got, fmt.Sprintf("%s+%d %s %d", caller.Function.Name, caller.Line-caller.Function.StartLine,
				callee.Function.Name, s.Value[0]))
		}
		if !slices.Equal(got, want) {
			t.Errorf("share %v: got %q, want %q", share, got, want)
		}
	}
}
