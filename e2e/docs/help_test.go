package docs

import (
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// TestHelp runs the examples in the help of each command, except those with kpt, which e2e/kpt
// runs; kubectl is a script.
func TestHelp(t *testing.T) {
	harness.FollowHelp(t, "../testdata/help", func(example string) bool { return !harness.Needs(example, "kpt") })
}

// TestHelpHasExamples counts the examples of each command.
func TestHelpHasExamples(t *testing.T) {
	commands := harness.Commands(t)
	if len(commands) < 10 {
		t.Fatalf("there must be 10 commands at least, found %q", commands)
	}
	for _, command := range commands {
		if examples := harness.HelpExamples(t, command); len(examples) < 3 {
			t.Errorf("the help of %s must have 3 examples, found %q", command, examples)
		}
	}
}
