package harness

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// An Outcome is the outcome of a program.
type Outcome struct {
	Stdout string
	Stderr string
	Code   int
}

// Run runs a program in a folder, without stdin. If the program can't be started, the test fails.
func Run(t *testing.T, folder, program string, args ...string) Outcome {
	t.Helper()
	return RunWith(t, folder, "", program, args...)
}

// RunWith is Run with a text on stdin.
func RunWith(t *testing.T, folder, stdin, program string, args ...string) Outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Dir = folder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s must be there for this test; \"make test-e2e\" leaves out what it can't run: %v", program, err)
	}
	return Outcome{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
}

// Succeed is Run, and ends the test unless the exit code is 0.
func Succeed(t *testing.T, folder, program string, args ...string) Outcome {
	t.Helper()
	outcome := Run(t, folder, program, args...)
	if outcome.Code != 0 {
		t.Fatalf("%s %s: exit code %d\n%s%s", program, strings.Join(args, " "), outcome.Code,
			outcome.Stdout, outcome.Stderr)
	}
	return outcome
}
