package cli

import (
	"bytes"
	"strings"
	"sync"
	"testing"
)

// TestOutputSideBySide holds that lines which goroutines write at once stay whole; the race
// detector sees a stream without its lock.
func TestOutputSideBySide(t *testing.T) {
	const writers, lines = 4, 50
	var to bytes.Buffer
	out := &output{to: &to, meter: &meter{}}
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range lines {
				_, _ = out.Write([]byte("kubectl get\n"))
			}
		})
	}
	group.Wait()
	if want := strings.Repeat("kubectl get\n", writers*lines); to.String() != want {
		t.Errorf("%d lines must be whole, found %q", writers*lines, to.String())
	}
}
