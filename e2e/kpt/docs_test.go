package kpt

import (
	"slices"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// TestHelp runs the examples in the help of the commands that need kpt.
func TestHelp(t *testing.T) {
	harness.FollowHelp(t, "../testdata/kpt/help", func(example string) bool { return harness.Needs(example, "kpt") })
}

// TestSessions runs the sessions of the documentation that need kpt.
func TestSessions(t *testing.T) {
	harness.FollowSessions(t, func(b harness.Block) bool {
		return slices.ContainsFunc(b.Commands(), func(command string) bool { return harness.Needs(command, "kpt") })
	})
}
