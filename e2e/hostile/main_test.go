//go:build unix

// Package hostile runs the built krm-fields on hostile input: on expressions that loop or grow
// without end, and on data that YAML allows and nobody would write. Each run must end as its row
// says, in time, and without more memory than the input and its limits justify.
package hostile

import (
	"os"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

func TestMain(m *testing.M) {
	if isMeter() {
		os.Exit(meter())
	}
	os.Exit(harness.Main(m))
}
