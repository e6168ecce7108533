package jqpath

import (
	"os"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/jq"
)

// jq starts this binary again where an expression needs a process of its own.
func TestMain(m *testing.M) {
	if jq.IsChild() {
		jq.ChildMain()
	}
	code := m.Run()
	jq.Shutdown()
	os.Exit(code)
}
