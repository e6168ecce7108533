package jqpath

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/exprtest"
)

// jq starts this binary again where an expression needs a process of its own.
func TestMain(m *testing.M) { exprtest.Main(m) }
