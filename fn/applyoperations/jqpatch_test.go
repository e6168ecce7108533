package applyoperations_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJQPatch(t *testing.T) {
	const document = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n" +
		"big: 9007199254740993 # big\noctal: 0644\nexponent: 1e3\nfloat: 1.10\ndate: 2026-01-02\ninf: .inf\nzone: ~\n"
	tests := []struct {
		name, filter, want, wantResults string
	}{
		{name: "nothing changes", filter: ".", want: document},
		{name: "an equal number", filter: ".float = 1.1 | .octal = 420 | .exponent |= . + 0", want: document},
		{
			name: "whole numbers of any size", filter: ".more = .big + 1", want: document + "more: 9007199254740994\n",
			wantResults: "info: operations[0]: patched\n",
		},
		{
			name: "numbers that JSON does not have", filter: ".nan = nan | .infinite = -infinite",
			want:        document + "infinite: -1.7976931348623157e+308\nnan: null\n",
			wantResults: "info: operations[0]: patched\n",
		},
		{
			name: "text that is no UTF-8", filter: `.text = ("_w==" | gsub("_"; "/") | @base64d)`, want: document + "text: \uFFFD\n",
			wantResults: "info: operations[0]: patched\n",
		},
		{
			name: "a result that is too deep", filter: "reduce range(2000) as $i (.; .deep = [.deep])", want: document,
			wantResults: "error: operations[0]: the result must be nested at most 1000 levels deep\n",
		},
		{
			name: "no result", filter: "empty", want: document,
			wantResults: "error: operations[0]: the filter 'empty' must yield one result, found 0\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			config := fmt.Sprintf("operations: [{operation: JQPatch, kind: ConfigMap, name: a, jqFilter: %q}]", test.filter)
			out, results := runOn(t, config, document)
			if diff := cmp.Diff(test.wantResults, messages(results)); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, texts(t, out)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLimitEndsRun checks that nothing is done after a filter has hit its limit.
func TestLimitEndsRun(t *testing.T) {
	_, results := runOn(t, `
jq: {timeout: 100ms}
operations:
- {operation: MergePatch, kind: ConfigMap, name: missing, mergePatch: {}}
- {operation: JQPatch, kind: ConfigMap, name: a, jqFilter: "def f: f; f"}
- {operation: MergePatch, kind: ConfigMap, name: missing, mergePatch: {}}
`, configMap("a"))
	want := "error: operations[0]: ConfigMap missing does not exist; ignoreMissingObject: true skips the operation\n" +
		"error: operations[1]: JQ expression timed out after 100ms: 'def f: f; f'\n"
	if diff := cmp.Diff(want, messages(results)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}
