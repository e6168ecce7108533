package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// TestClone runs the command that README.md has for a fresh clone; the other one runs this test.
func TestClone(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(harness.Root(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile("(?s)In a clone.* `go run \\. ([^`]*)`.*`make test`").FindSubmatch(readme)
	if command == nil {
		t.Fatal("README.md must have the two commands of a clone")
	}
	args := strings.Fields(string(command[1]))
	out := harness.Succeed(t, harness.Root(), "krm-fields", args...)
	if !strings.Contains(out.Stdout, "kind: Deployment") || strings.Contains(out.Stdout, "replicas:") {
		t.Errorf("%s must print the Deployment without its replicas, found\n%s", command[1], out.Stdout)
	}
}
