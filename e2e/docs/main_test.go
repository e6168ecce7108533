// Package docs tests the documentation: its sessions are run, except those with kpt and Helm, which
// e2e/kpt and e2e/helm run, and those with a cluster, which e2e/cluster runs, and its
// functionConfigs are checked.
package docs

import (
	"os"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, "bin/kustomize"))
}
