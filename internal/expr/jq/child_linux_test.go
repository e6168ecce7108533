package jq

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestChildIsThisProgram replaces the file of the program while it runs.
func TestChildIsThisProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^TestReplaceOwnFile$", "-test.v")
	cmd.Env = append(os.Environ(), "KRM_FIELDS_REPLACE="+program)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestReplaceOwnFile") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestReplaceOwnFile is run by TestChildIsThisProgram in a process of its own.
func TestReplaceOwnFile(t *testing.T) {
	program := os.Getenv("KRM_FIELDS_REPLACE")
	if program == "" {
		return
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexit 7\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, `"x" | ascii_downcase | gsub("x"; "y")`); err != nil {
		t.Error(err)
	}
}

// run evaluates a filter in a new child.
func run(t *testing.T, filter string) ([]any, error) {
	t.Helper()
	Shutdown()
	program, err := Compile(filter, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return program.Run(nil)
}

// TestChildHasNoOtherFiles opens a file as a library would that is not written in Go.
func TestChildHasNoOtherFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Open(path, syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	Shutdown()
	child, err := startProcess()
	if err != nil {
		t.Fatal(err)
	}
	defer child.end()
	files, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(child.command.Process.Pid), "fd", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if target, _ := os.Readlink(file); target == path {
			t.Errorf("the child has %s open", target)
		}
	}
}

// TestKilledChild kills a child from outside, which is not for its memory.
func TestKilledChild(t *testing.T) {
	Shutdown()
	child, err := startProcess()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(child.command.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, err = child.evaluate(t.Context(), request{mode: filterMode, expression: ".", memory: DefaultMemory}, DefaultTimeout)
	want := "the process that evaluates the JQ expression '.' ended: it was killed, by another process or by the system for lack of memory"
	if got := (&guard{expression: "."}).fault(err); got.Error() != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestChildWithoutThreads has what Go writes where a limit such as --pids-limit leaves it no
// thread.
func TestChildWithoutThreads(t *testing.T) {
	for _, words := range []string{
		"runtime: failed to create new OS thread (have 5 already; errno=11)\nruntime: may need to increase max user processes (ulimit -u)\nfatal error: newosproc\n",
		"runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\n",
	} {
		command := exec.Command("/bin/sh", "-c", "cat >&2; exit 2")
		p := &process{command: command}
		command.Stdin, command.Stderr = strings.NewReader(words), &p.crashOutput
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		if err := command.Wait(); err == nil {
			t.Fatal("no error, want exit code 2")
		}
		want := "the process that evaluates the JQ expression '.' ended: the system refused it a thread; " +
			"allow more processes, for example with a larger --pids-limit"
		if got := (&guard{expression: "."}).fault(p.endOf(errMemory)); got.Error() != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}
