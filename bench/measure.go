package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A run is what one process has cost.
type run struct {
	wall time.Duration
	cpu  time.Duration // of the user and the system, with processes that it started
	rss  int64         // peak resident set, in bytes
}

// costs are the runs of a contestant, one of each round.
type costs []run

// A contestant is a command on an input.
type contestant struct {
	name    string
	command []string
	stdin   string // path of a file
	objects int    // in the input
	dir     string // to run in, whose programs it finds first; "" for none
	mayFind bool   // whether exit code 1 tells of a finding, unless there is an error, too
	// prepare restores what the command changes; nil: the command changes nothing.
	prepare func() error
	// check tells whether the work was done; nil: there is nothing to look at.
	check func(output io.Reader) error
}

// key is the same for contestants that do the same.
func (c contestant) key() string { return strings.Join(append(c.command, c.stdin), "\x00") }

// verify runs the contestant once and looks at its output. It warms the caches of the machine, too.
// The output goes through a file: the peak memory that the system tells of a process is at least
// that of the one that started it.
func (c contestant) verify() error {
	output, err := os.CreateTemp("", "bench-output")
	if err != nil {
		return err
	}
	defer os.Remove(output.Name())
	defer output.Close()
	if _, err := c.run(output); err != nil {
		return err
	}
	if c.check == nil {
		return nil
	}
	if _, err := output.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := c.check(output); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// run starts the contestant, waits for it, and returns its cost from the start to the end of the
// process. With no stdout its output is thrown away.
func (c contestant) run(stdout *os.File) (run, error) {
	if c.prepare != nil {
		if err := c.prepare(); err != nil {
			return run{}, err
		}
	}
	input, err := os.Open(c.stdin)
	if err != nil {
		return run{}, err
	}
	defer input.Close()
	var stderr tail
	cmd := exec.Command(c.command[0], c.command[1:]...)
	cmd.Stdin, cmd.Stderr, cmd.Dir = input, &stderr, c.dir
	cmd.Env = append(os.Environ(), "PATH="+c.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	if stdout != nil {
		cmd.Stdout = stdout
	}

	lowerOwnPeak()
	start := time.Now()
	err = cmd.Run()
	wall := time.Since(start)
	if err != nil && (!c.mayFind || cmd.ProcessState.ExitCode() != 1 || bytes.Contains(stderr.text, []byte("error:"))) {
		return run{}, fmt.Errorf("%s: %w\n%s", c.name, err, stderr.text)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return run{}, errors.New("this system doesn't tell the memory that a process has used")
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return run{wall: wall, cpu: cpu, rss: usage.Maxrss * maxrssUnit()}, nil
}

// lowerOwnPeak makes this process small, and forgets its peak memory: on Linux a process that it
// starts has at least that peak (proc_pid_clear_refs(5)). Elsewhere it does not matter.
func lowerOwnPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

func (t *tail) Write(text []byte) (int, error) {
	const size = 4096
	t.text = append(t.text, text[max(0, len(text)-size):]...)
	t.text = bytes.Clone(t.text[max(0, len(t.text)-size):])
	return len(text), nil
}

// maxrssUnit is the unit of ru_maxrss in bytes: getrusage(2) counts in bytes on macOS and in KiB
// elsewhere.
func maxrssUnit() int64 {
	if runtime.GOOS == "darwin" {
		return 1
	}
	return 1024
}

// measure checks the contestants and runs them in turn, so that a busy spell of the machine affects
// all of them.
func measure(contestants []contestant, repetitions int) ([]costs, error) {
	for _, c := range contestants {
		if err := c.verify(); err != nil {
			return nil, err
		}
	}
	runs := make([]costs, len(contestants))
	for range repetitions {
		for i, c := range contestants {
			cost, err := c.run(nil)
			if err != nil {
				return nil, err
			}
			runs[i] = append(runs[i], cost)
		}
	}
	return runs, nil
}

// median returns the median of each cost, taken apart.
func (c costs) median() run {
	return run{
		wall: medianOf(c, func(r run) time.Duration { return r.wall }),
		cpu:  medianOf(c, func(r run) time.Duration { return r.cpu }),
		rss:  medianOf(c, func(r run) int64 { return r.rss }),
	}
}

// medianOf returns the middle value, the lower one of two.
func medianOf[E any, T time.Duration | int64 | float64](of []E, value func(E) T) T {
	values := make([]T, len(of))
	for i, one := range of {
		values[i] = value(one)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// A pair is a run of krm-fields and that of a peer in the same round.
type pair struct{ own, peer run }

func pairs(own, peer costs) []pair {
	both := make([]pair, len(own))
	for i := range own {
		both[i] = pair{own[i], peer[i]}
	}
	return both
}
