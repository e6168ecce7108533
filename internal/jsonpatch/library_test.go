package jsonpatch_test

import (
	"strings"
	"testing"

	evanphx "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/jsonpatch"
)

// TestLibrary has what github.com/evanphx/json-patch makes otherwise than RFC 6902, and what this
// package makes of it: it refuses that before, or carries it out itself. If a row fails, the
// library has learnt it, and what is here for it may go.
func TestLibrary(t *testing.T) {
	tests := []struct {
		name, document, patch string
		// want is the outcome here, or the error; library is the one of the library.
		want, library string
	}{
		{
			"numbers are equal by value", `{"a":1.0}`, `[{"op":"test","path":"/a","value":1}]`,
			`{"a":1.0}`, `error: testing value /a failed: test failed`,
		},
		{
			"nulls in lists are compared", `{"a":[null]}`, `[{"op":"test","path":"/a","value":[null]}]`,
			`{"a":[null]}`, `panic`,
		},
		{
			"null is not what is missing", `{"a":1}`, `[{"op":"test","path":"/b","value":null}]`,
			`error: [0]: test "/b": the object has no key "b"`, `{"a":1}`,
		},
		{
			"the empty key", `{"":2}`, `[{"op":"test","path":"/","value":2}]`,
			`{"":2}`, `error: testing value / failed: test failed`,
		},
		{
			"an index has no leading zero", `{"a":[1,2]}`, `[{"op":"remove","path":"/a/01"}]`,
			`error: [0]: remove "/a/01": "/a" is a list, and "01" is not an index: an index is a number without sign and without leading zeros`,
			`{"a":[1]}`,
		},
		{
			"an index has no sign", `{"a":[1,2]}`, `[{"op":"replace","path":"/a/+1","value":3}]`,
			`error: [0]: replace "/a/+1": "/a" is a list, and "+1" is not an index: an index is a number without sign and without leading zeros`,
			`{"a":[1,3]}`,
		},
		{
			"a move to itself keeps the order", `{"a":1,"b":2}`, `[{"op":"move","from":"/a","path":"/a"}]`,
			`{"a":1,"b":2}`, `{"b":2,"a":1}`,
		},
		{
			"the message says what is missing, and what is near", `{"spec":{"replicas":1}}`,
			`[{"op":"replace","path":"/spec/replica","value":2}]`,
			`error: [0]: replace "/spec/replica": "/spec" has no key "replica"; did you mean "replicas"?`,
			`error: replace operation does not apply: doc is missing key: /spec/replica: missing value`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want, isError := strings.CutPrefix(test.want, "error: ")
			if isError {
				checkApply(t, test.document, test.patch, "", want)
			} else {
				checkApply(t, test.document, test.patch, want, "")
			}
			if diff := cmp.Diff(test.library, byLibrary(t, test.document, test.patch)); diff != "" {
				t.Errorf("the library (-want +got):\n%s", diff)
			}
		})
	}
}

// byLibrary returns the outcome of the library.
func byLibrary(t *testing.T, document, patch string) (outcome string) {
	t.Helper()
	defer func() {
		if recover() != nil {
			outcome = "panic"
		}
	}()
	if _, faults := jsonpatch.Parse(parse(t, patch), ""); len(faults) > 0 {
		t.Fatalf("the patch has faults: %v", faults)
	}
	p, err := evanphx.DecodePatch([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	options := evanphx.NewApplyOptions()
	options.SupportNegativeIndices = false
	patched, err := p.ApplyWithOptions([]byte(document), options)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(patched)
}
