package manifests

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestBecameFIFO holds that a file in whose place, and under whose inode, a FIFO stands is told,
// not read, which would wait for a writer.
func TestBecameFIFO(t *testing.T) {
	dir, changes := folderOfFiles(t)
	changes[0].isRead = true
	transaction := Begin()
	if err := transaction.Stage(changes); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a")
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	err := transaction.Commit(func() error { return nil })
	if failed, ok := errors.AsType[*Error](err); !ok || failed.Path != path || failed.Reason != errChanged.Error() {
		t.Errorf("got the error %v, want one of the file that it has changed", err)
	}
}
