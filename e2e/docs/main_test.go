// Package docs holds the documentation to what it shows: the sessions in it are run, those with kpt
// and Helm in e2e/kpt and e2e/helm, and those with a cluster in e2e/cluster, and the
// functionConfigs in it are checked.
package docs

import (
	"os"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, "bin/kustomize"))
}
