package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFaultResults(t *testing.T) {
	ref := Ref{APIVersion: "fn.kpt.dev/v1alpha1", Kind: "IgnoreFields", Name: "rules"}
	file := File{Path: "fn.yaml"}
	faults := []Fault{
		{Path: "ignoreFields[0].jqPathExpressions[1]", Message: "must end", Detail: ".a |\n   ^",
			Tags: map[string]string{"selector": "jq", "rule": "0"}},
		{Message: "must be a map, found null"},
	}
	want := []Result{
		{Message: "ignoreFields[0].jqPathExpressions[1]: must end", Severity: SeverityError, Ref: ref, File: file,
			Field: Field{Path: "ignoreFields[0].jqPathExpressions[1]"}, Detail: ".a |\n   ^",
			Tags: map[string]string{"reason": ReasonInvalidFunctionConfig, "selector": "jq", "rule": "0"}},
		{Message: "must be a map, found null", Severity: SeverityError, Ref: ref, File: file,
			Tags: map[string]string{"reason": ReasonInvalidFunctionConfig}},
	}
	if diff := cmp.Diff(want, FaultResults(faults, ref, file)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}
