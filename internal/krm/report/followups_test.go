package report

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithoutFollowUps(t *testing.T) {
	at := func(paths ...string) []Fault {
		var faults []Fault
		for _, path := range paths {
			faults = append(faults, Fault{Path: path})
		}
		return faults
	}
	later := at("", "a", "a.b", "a[1]", "ab", "c.d", "c", "e[0].f", "e[0]", "e[1]")
	want := at("", "ab", "c", "e[0]", "e[1]")
	if diff := cmp.Diff(want, WithoutFollowUps(later, at("a", "c.d", "e[0].f"))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	unknown := []Fault{{Path: "cc", Meant: "c"}}
	missing := []Fault{{Path: "c", IsMissing: true}, {Path: "g", IsMissing: true}}
	for _, earlier := range [][]Fault{at("c.d"), unknown} {
		if diff := cmp.Diff(missing[1:], WithoutFollowUps(slices.Clone(missing), earlier)); diff != "" {
			t.Errorf("faults (-want +got):\n%s", diff)
		}
	}
}
