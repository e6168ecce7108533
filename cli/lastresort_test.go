package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// panickingWriter panics with what it is to write.
type panickingWriter struct{}

func (panickingWriter) Write(text []byte) (int, error) { panic(string(text)) }

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
