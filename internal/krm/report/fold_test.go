package report

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFold(t *testing.T) {
	config := Ref{Kind: "IgnoreFields", Name: "rules"}
	object := func(i int) Ref { return Ref{APIVersion: "v1", Kind: "ConfigMap", Name: fmt.Sprint("c", i)} }
	about := func(ref Ref, reason, expression, owner string) Result {
		tags := map[string]string{"reason": reason, "expression": expression, "owner": owner}
		return Result{Severity: SeverityInfo, Message: expression + " of " + ref.Name, Ref: ref, Tags: tags}
	}
	var results []Result
	for i := range 4 {
		results = append(results, about(object(i), ReasonFieldsIgnored, "/a", fmt.Sprint("owner", i)), about(object(i), ReasonFieldsIgnored, "/b", ""))
		results = append(results, about(config, ReasonNoMatch, "/c", ""))
	}
	results = append(results, about(object(3), ReasonFieldsIgnored, "/a", "owner3"), about(object(4), ReasonReformatted, "", ""))
	lines := func(results []Result) []string {
		var lines []string
		for _, r := range results {
			lines = append(lines, fmt.Sprint(r.Message, " ", r.Tags["objects"], r.Tags["owner"]))
		}
		return lines
	}
	want := map[int][]string{
		2: {
			"/a of c0 owner0", "/b of c0 ", "/c of rules ", "/a of c1 owner1", "/b of c1 ", "/c of rules ", "/c of rules ", "/c of rules ", " of c4 ",
			"2 more objects, the first ConfigMap c2: /a of c2 2", "2 more objects, the first ConfigMap c2: /b of c2 2",
		},
		0: {
			"/c of rules ", "/c of rules ", "/c of rules ", "/c of rules ",
			"4 objects, the first ConfigMap c0: /a of c0 4", "4 objects, the first ConfigMap c0: /b of c0 4", "1 object, the first ConfigMap c4:  of c4 1",
		},
	}
	for limit, want := range want {
		folded := NewFold(limit, config).All(results)
		if diff := cmp.Diff(want, lines(folded)); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
		if got := Whole(folded); len(got) != len(results) {
			t.Errorf("limit %d: of %d results %d come back", limit, len(results), len(got))
		}
		inParts := NewFold(limit, config)
		parts := append(inParts.Pass(results[:5]), inParts.Pass(results[5:])...)
		if diff := cmp.Diff(want, lines(append(parts, inParts.Sums()...))); diff != "" {
			t.Errorf("limit %d, in parts (-want +got):\n%s", limit, diff)
		}
	}
}

// TestOnce folds errors that say the same of four objects, of which a sum holds two.
func TestOnce(t *testing.T) {
	var results []Result
	for i := range 5 {
		message := "cannot iterate over number"
		if i == 1 {
			message = "cannot iterate over null"
		}
		ref := Ref{APIVersion: "v1", Kind: "ConfigMap", Name: fmt.Sprint("c", i)}
		results = append(results, Result{Severity: SeverityError, Message: message, Ref: ref, Tags: map[string]string{"expression": ".a[]"}})
	}
	want := []string{"cannot iterate over null", "4 objects, the first ConfigMap c0: cannot iterate over number"}
	for _, limit := range []int{2, 20} {
		var got []string
		for _, r := range Once(NewFold(limit, Ref{}).All(results)) {
			got = append(got, r.Message)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
	}
}

func TestFoldOfFaults(t *testing.T) {
	config := Ref{Kind: "IgnoreFields", Name: "rules"}
	faults := make([]Fault, 130)
	for i := range faults {
		faults[i] = Fault{Path: fmt.Sprintf("ignoreFields[%d]", i), Message: "must be a map"}
	}
	folded := NewFold(0, config).All(FaultResults(faults, config, File{}))
	if len(folded) != 101 {
		t.Fatalf("%d results, want 101", len(folded))
	}
	want := Result{
		Severity: SeverityError, Message: "30 more faults, the first: ignoreFields[100]: must be a map", Ref: config,
		Field: Field{Path: "ignoreFields[100]"}, Tags: map[string]string{"reason": ReasonInvalidFunctionConfig},
	}
	folded[100].Folded = nil
	if diff := cmp.Diff(want, folded[100]); diff != "" {
		t.Errorf("the last (-want +got):\n%s", diff)
	}
	var ofObjects []Result
	for i := range 30 {
		object := Ref{Kind: "ConfigMap", Name: fmt.Sprint("c", i)}
		ofObjects = append(ofObjects, FaultResults(faults[:1], object, File{})...)
	}
	folded = NewFold(20, config).All(ofObjects)
	if last := folded[len(folded)-1]; len(folded) != 21 || last.Tags["objects"] != "10" {
		t.Errorf("the faults of objects' own rules must be folded as other results, found %d, the last %v", len(folded), last)
	}
}
