//go:build unix

package hostile

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestAudit runs `krm-fields audit` on clusters that nobody has.
func TestAudit(t *testing.T) {
	shared := func(fieldsV1, spec string) string {
		return fmt.Sprintf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "managedFields": [`+
			`{"manager": "helm", "operation": "Apply", "fieldsV1": %s}, {"manager": "kubectl", "operation": "Apply", "fieldsV1": %[1]s}]}, "spec": %[2]s}`,
			fieldsV1, spec)
	}
	for _, r := range []struct {
		name, text, says string
		code             int
		times            int64
	}{
		{"100,000 fields that two appliers own", shared(`{"f:data": {`+numbered(100_000, `"f:k%d": {}`, ", ")+`}}`, "{}"), "100000 findings", 0, 100},
		{"20,000 elements that two appliers own", shared(`{"f:spec": {`+numbered(20_000, `"k:{\"name\":\"%d\"}": {"f:v": {}}`, ", ")+`}}`,
			`[`+numbered(20_000, `{"name": "%d", "v": [1]}`, ", ")+`]`), "20000 findings", 0, 100},
		{"fieldsV1 of 990 levels", shared(strings.Repeat(`{"f:a": `, 990)+"{}"+strings.Repeat("}", 990), "{}"), "1 finding", 0, growth},
		{"fieldsV1 of 2,000 levels", shared(strings.Repeat(`{"f:a": `, 2000)+"{}"+strings.Repeat("}", 2000), "{}"), "at most 1000 levels deep", 1, growth},
		{"fieldsV1 that no API server writes", shared(`{"f:": {}, "k:{": {}, "i:x": {}, "": {}, "f:a": 1, "v:": {}}`, "{}"), "1 object, 1 finding", 0, growth},
		{"300,000 empty items", `{"items": [` + strings.Repeat("{},", 299_999) + `{}]}`, "300000 objects, 0 findings", 0, growth},
		{"20 MB of blanks in a list", `{"items": [` + strings.Repeat(" ", 20<<20), "found an end within one", 1, 1},
		{"a list of lists", `{"items": [` + strings.Repeat("[", 1<<20), "must be maps", 1, growth},
		{"a line without an end", "items:\n- a: " + strings.Repeat("x", 20<<20), "1 object, 0 findings", 0, growth},
	} {
		t.Run(r.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "cluster.json")
			write(t, file, r.text)
			_, stderr, c := run(t, nil, "audit", "--live", file)
			if c.Code != r.code || !strings.Contains(string(stderr), r.says) || strings.Contains(string(stderr), "goroutine ") {
				t.Errorf("the run must end with exit code %d and say %q, found %d and\n%s", r.code, r.says, c.Code, shorten(string(stderr)))
			}
			limits := row{input: r.text, times: r.times, within: slow}
			if c.Wall > limits.timeLimit() || c.Peak > limits.memoryLimit() {
				t.Errorf("the run must take at most %v and %d MB, and took %v and %d MB", limits.timeLimit(), limits.memoryLimit()>>20, c.Wall, c.Peak>>20)
			}
		})
	}
}
