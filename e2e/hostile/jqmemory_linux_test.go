package hostile

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestJQMemoryIsShared runs an expression that takes nearly all of its memory on several objects,
// with as many goroutines as possible.
func TestJQMemoryIsShared(t *testing.T) {
	const limit = 256 << 20
	text := `("x" * 180000000) as $big | .data.a | select(($big | utf8bytelength) > (reduce range(100000) as $i (0; $i)))`
	input := ignoring(manyObjects(24), expression("jqPathExpressions", text), "  jq: {timeout: 1m}\n")
	cmd := exec.Command("krm-fields")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=64")
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(input), &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var peak int64
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for done := false; !done; {
		select {
		case err := <-ended:
			// all that run at once may exceed the limit together
			if done = true; err != nil && !strings.Contains(stderr.String(), "JQ expression exceeded 256Mi of memory: ") {
				t.Errorf("%v\n%s", err, shorten(stderr.String()))
			}
		case <-ticker.C:
			peak = max(peak, residentMemory(cmd.Process.Pid))
		}
	}
	t.Logf("%d MB", peak>>20)
	if most := int64(limit + overshoot + baseline); peak > most {
		t.Errorf("the process must take at most %d MB, and took %d MB", most>>20, peak>>20)
	}
}

// residentMemory is 0 for a process that has ended.
func residentMemory(pid int) int64 {
	statm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(statm))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
