package cluster

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

const settled = "testdata/settle.yaml"

// TestSettles applies an object of each of many kinds. With nothing to do after that, plan says
// "unchanged" of each, diff finds no difference, and another apply writes none.
func TestSettles(t *testing.T) {
	createCRDs(t, newAPI(t))
	t.Cleanup(func() { output(t, "kubectl", "delete", "-f", settled, "--wait=false") })
	output(t, "kubectl", "apply", "--server-side", "-f", settled)
	live := filepath.Join(t.TempDir(), "live.yaml")
	read := func() string {
		return output(t, "kubectl", "get", "-f", settled, "-o", "yaml", "--show-managed-fields")
	}
	before := read()
	if err := os.WriteFile(live, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	var plan struct {
		Objects []struct {
			Kind, Outcome, Cause string
			Fields               []any
		}
	}
	if err := json.Unmarshal([]byte(output(t, "krm-fields", "plan", "--crds", crds, "--live", live, "-o", "json", settled)), &plan); err != nil {
		t.Fatal(err)
	}
	for _, o := range plan.Objects {
		t.Logf("%-32s %s", o.Kind, o.Outcome)
		if o.Outcome != "unchanged" {
			t.Errorf("%s must be unchanged: %s %s", o.Kind, o.Cause, text(o.Fields))
		}
	}
	if len(plan.Objects) < 25 {
		t.Errorf("there must be 25 kinds, found %d", len(plan.Objects))
	}
	if found := output(t, "krm-fields", "diff", "--crds", crds, "--live", live, settled); found != "" {
		t.Error(found)
	}
	output(t, "kubectl", "apply", "--server-side", "-f", settled)
	// The API server writes a PersistentVolumeClaim at each apply, with the same content.
	version := regexp.MustCompile(`(?m)^ +resourceVersion: .*`)
	if after := read(); version.ReplaceAllString(after, "") != version.ReplaceAllString(before, "") {
		t.Errorf("another apply must change nothing; it makes\n%s", after)
	}
}

// output runs a program, which must succeed, and returns what it prints to stdout.
func output(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		var stderr []byte
		if e, ok := errors.AsType[*exec.ExitError](err); ok {
			stderr = e.Stderr
		}
		t.Errorf("%s %q: %v\n%s%s", program, args, err, out, stderr)
	}
	return string(out)
}
