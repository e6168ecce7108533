// Package kpt runs krm-fields under the real kpt, as an executable.
package kpt

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/e2e/harness"
)

const shop = "../testdata/shop"

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, "bin/kpt-newest"))
}

var duration = regexp.MustCompile(`" in [0-9.hmµns]+`)

// expectOutput compares what kpt shows and the results that it stores in the folder results,
// without the times.
func expectOutput(t *testing.T, expected, folder string, outcome harness.Outcome) {
	t.Helper()
	golden.ExpectFile(t, filepath.Join(expected, "output.txt"), duration.ReplaceAllString(outcome.Stderr, `"`))
	results := harness.ReadTree(t, filepath.Join(folder, "results"))
	golden.ExpectFile(t, filepath.Join(expected, "results.yaml"), results["results.yaml"])
}

func expectedFolder(name string) string {
	return filepath.Join("../testdata/kpt", name)
}
