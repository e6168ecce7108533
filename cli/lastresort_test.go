package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// panickingWriter panics with what it is to write.
type panickingWriter struct{}

func (panickingWriter) Write(text []byte) (int, error) { panic(string(text)) }

// TestPanicIsFailure holds that a panic has the exit code of a failure of the command, which is not
// that of a difference.
func TestPanicIsFailure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(file, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]int{"diff": 2, "plan": 2, "locate": 1} {
		var errOut bytes.Buffer
		code := Main([]string{command, "--live", file, file}, Build{}, Streams{In: os.Stdin, Out: panickingWriter{}, Err: &errOut})
		if command == "diff" { // which prints only what differs
			code = Main([]string{command, "--live", os.DevNull, file}, Build{}, Streams{In: os.Stdin, Out: panickingWriter{}, Err: &errOut})
		}
		if code != want || !strings.Contains(errOut.String(), "a panic (string) in ") {
			t.Errorf("%s: exit code %d, want %d and a panic, found %q", command, code, want, errOut.String())
		}
	}
}

func TestPanicShowsNoData(t *testing.T) {
	var errOut bytes.Buffer
	code := Main([]string{"--version"}, Build{Version: "hunter2"}, Streams{In: os.Stdin, Out: panickingWriter{}, Err: &errOut})
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if !strings.HasPrefix(errOut.String(), "error: krm-fields has a bug: a panic (string) in ") ||
		strings.Contains(errOut.String(), "hunter2") {
		t.Errorf("stderr must name the place and show no data, found %q", errOut.String())
	}
}
