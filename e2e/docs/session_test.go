package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// elsewhere are the commands that another test runs: targets of the Makefile.
var elsewhere = map[string]string{
	"make test":  "it runs this test",
	"make image": "e2e/image makes it",
}

// hosts are the programs whose sessions other tests run.
var hosts = []string{"helm", "helm3", "kpt", "kubectl", "krm-fields apply"}

// TestSessions runs the sessions that need no host except kustomize, which make installs. Those
// with Helm are run by e2e/helm, and those with a cluster by e2e/cluster.
func TestSessions(t *testing.T) {
	harness.FollowSessions(t, func(b harness.Block) bool {
		return !slices.ContainsFunc(b.Commands(), func(command string) bool {
			needs := func(host string) bool { return harness.Needs(command, host) }
			return slices.ContainsFunc(hosts, needs) || elsewhere[command] != ""
		})
	})
}

// TestElsewhere checks that the commands that are not run here are targets of the Makefile.
func TestElsewhere(t *testing.T) {
	var makefile []byte
	for _, name := range []string{"Makefile", "release.mk"} {
		text, err := os.ReadFile(filepath.Join(harness.Root(), name))
		if err != nil {
			t.Fatal(err)
		}
		makefile = append(makefile, text...)
	}
	for command := range elsewhere {
		target := strings.TrimPrefix(command, "make ")
		if !strings.Contains(string(makefile), "\n.PHONY: "+target+"\n") {
			t.Errorf("the Makefile must have the target of %q", command)
		}
	}
}
