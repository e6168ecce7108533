//go:build unix

package hostile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// cost is the cost of a run of krm-fields, as the system accounts for it.
type cost struct {
	Code int
	Wall time.Duration
	// Peak is the largest resident set, in bytes, of the process and of the children that it has
	// waited for.
	Peak int64
}

// meterVariable turns this test binary into a meter: see run.
const meterVariable = "KRM_FIELDS_METER"

func isMeter() bool { return os.Getenv(meterVariable) != "" }

// run runs krm-fields on an input, with arguments if there are any. Another process, the meter,
// starts it: the system's peak memory of a process is at least that of the one that started it, and
// this one holds the inputs.
func run(t *testing.T, input []byte, args ...string) (stdout, stderr []byte, c cost) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errOut, costs bytes.Buffer
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), meterVariable+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &errOut
	cmd.ExtraFiles = []*os.File{writer}
	err = cmd.Start()
	writer.Close()
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(&costs, reader) // what is missing fails below
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the meter failed: %v\n%s", err, errOut.Bytes())
	}
	if err := json.Unmarshal(costs.Bytes(), &c); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), errOut.Bytes(), c
}

// meter runs krm-fields on its own streams and writes the cost to its fourth one. It returns its
// exit code.
func meter() int {
	cmd := exec.Command("krm-fields", os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	c := cost{Code: cmd.ProcessState.ExitCode(), Wall: wall, Peak: usage.Maxrss * maxrssUnit()}
	if err := json.NewEncoder(os.NewFile(3, "cost")).Encode(c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// maxrssUnit is the unit of ru_maxrss in bytes: getrusage(2) counts in bytes on macOS and in KiB
// elsewhere.
func maxrssUnit() int64 {
	if runtime.GOOS == "darwin" {
		return 1
	}
	return 1024
}
