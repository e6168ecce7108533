package golden

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

const (
	list    = "items:\n- a: 1\nfunctionConfig:\n  kind: Rules\n  metadata: {name: test}\n"
	results = "results:\n- message: a is wrong\n  severity: error\n  resourceRef:\n    kind: Rules\n    name: test\n"
)

// TestOutcome has a case for each part that is left out or not.
func TestOutcome(t *testing.T) {
	tests := map[string]struct {
		stdout, stderr string
		code           int
		want           string
	}{
		"nothing to say":           {list, "", 0, ""},
		"a failure as usual":       {list + results, "error: a is wrong (Rules test)\n", 1, "-- results --\nerror: a is wrong (Rules test)\n"},
		"a failure that exits 0":   {list + results, "error: a is wrong (Rules test)\n", 0, "-- results --\nerror: a is wrong (Rules test)\n-- exit code --\n0\n"},
		"a failure with no stderr": {list + results, "", 1, "-- results --\nerror: a is wrong (Rules test)\n-- stderr --\nnothing\n"},
		"another exit code":        {list + results, "error: a is wrong (Rules test)\n", 2, "-- results --\nerror: a is wrong (Rules test)\n-- exit code --\n2\n"},
		"a failure with no result": {list, "error: no\n", 1, "-- stderr --\nerror: no\n-- exit code --\n1\n"},
		"a success that speaks":    {list, "done\n", 0, "-- stderr --\ndone\n"},
		"no last line break": {
			list[:len(list)-1], "", 0,
			"-- changes --\n@@ -3,3 +3,4 @@\n functionConfig:\n   kind: Rules\n   metadata: {name: test}\n+\\ No newline at end of file\n",
		},
		"results in another style": {
			list + "results:\n- {message: a, severity: info}\n", "", 0,
			"-- changes --\n@@ -3,3 +3,5 @@\n functionConfig:\n   kind: Rules\n   metadata: {name: test}\n+results:\n+- {message: a, severity: info}\n",
		},
		"a result with quotes it does not need": {
			list + "results:\n- message: 'a'\n  severity: info\n", "", 0,
			"-- changes --\n@@ -3,3 +3,6 @@\n functionConfig:\n   kind: Rules\n   metadata: {name: test}\n+results:\n+- message: 'a'\n+  severity: info\n",
		},
		"a result about no object": {
			list + "results:\n- message: a\n  severity: info\n", "", 0, "-- results --\ninfo: a\n  resourceRef: none\n",
		},
		"a result with all": {
			list + "results:\n- message: a is set\n  severity: info\n  resourceRef:\n    apiVersion: v1\n    kind: Pod\n    name: a\n    namespace: b\n" +
				"  file:\n    path: a.yaml\n    index: 1\n  field:\n    path: a\n    currentValue: 1\n  tags:\n    rule: \"0\"\n", "", 0,
			"-- results --\ninfo: a is set (Pod b/a, a.yaml[1])\n  resourceRef: {apiVersion: v1, kind: Pod, name: a, namespace: b}\n" +
				"  file: {path: a.yaml, index: 1}\n  field: {path: a, currentValue: 1}\n  tags: {rule: \"0\"}\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := txtar.Format(&txtar.Archive{Files: Outcome([]byte(list), []byte(test.stdout), test.stderr, test.code)})
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
