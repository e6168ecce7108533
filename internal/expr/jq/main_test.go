package jq

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if IsChild() {
		ChildMain()
	}
	code := m.Run()
	Shutdown()
	os.Exit(code)
}
