//go:build unix

package manifests

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// TestSignalAtTheEnd gets a signal while the changes are undone, which must not end the program
// before the temporary files are removed.
func TestSignalAtTheEnd(t *testing.T) {
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, syscall.SIGHUP)
	defer signal.Stop(arrived)
	tx := Begin()
	tx.done = append(tx.done, undoableStep{undo: func() error {
		err := syscall.Kill(os.Getpid(), syscall.SIGHUP)
		<-arrived
		return err
	}})
	if err := tx.finish(errAborted); !errors.Is(err, errAborted) {
		t.Errorf("got %v, want %v", err, errAborted)
	}
	if len(tx.signals) != 1 {
		t.Error("the signal must come to the transaction, which ignores it")
	}
}
