package manifestwork

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/exprtest"
)

func TestMain(m *testing.M) { exprtest.Main(m) }
