package ignorefields

import (
	"os"
	"testing"

	"github.com/krm-fields/krm-fields/fn/jq"
)

func TestMain(m *testing.M) {
	if jq.IsChild() {
		jq.ChildMain()
		return
	}
	os.Exit(m.Run())
}
