package ignorefields_test

import (
	"os"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/jq"
)

func TestMain(m *testing.M) {
	if jq.IsChild() {
		jq.ChildMain()
		return
	}
	os.Exit(m.Run())
}
