//go:build unix

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipeWithoutReader holds that results in a named pipe block nothing: they are read, or there
// is an error that names the pipe.
func TestPipeWithoutReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writePipe(path, []byte("[]"), 0); err == nil || !errors.As(err, new(resultsError)) {
		t.Errorf("without a reader: got %v, want an error about --results", err)
	}
	read := make(chan string)
	go func() {
		text, err := os.ReadFile(path)
		read <- string(text)
		if err != nil {
			t.Error(err)
		}
	}()
	if err := writePipe(path, []byte("[]"), readerWait); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "[]" {
		t.Errorf("the reader got %q, want the results", got)
	}
}
