// Package helm runs krm-fields as the post-renderer of the real Helm 4 and Helm 3.
package helm

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run keeps Helm's files out of the user's home, and puts the versions of Helm from the Makefile
// first on the PATH.
func run(m *testing.M) int {
	home, err := os.MkdirTemp("", "krm-fields-helm")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(home)
	bin, err := filepath.Abs(filepath.Join(harness.Root(), "bin"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for name, value := range map[string]string{
		"HELM_DATA_HOME": filepath.Join(home, "data"), "HELM_CACHE_HOME": filepath.Join(home, "cache"),
		"HELM_CONFIG_HOME": filepath.Join(home, "config"),
		"KUBECONFIG":       filepath.Join(home, "none"), // no test needs a cluster
		"PATH":             bin + string(os.PathListSeparator) + os.Getenv("PATH"),
	} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return harness.Main(m, "bin/helm", "bin/helm3")
}
