package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// A run is what one process has cost.
type run struct {
	wall time.Duration
	rss  int64 // peak resident set, in bytes
}

// A contestant is a command on an input.
type contestant struct {
	name    string
	command []string
	stdin   string                       // path of a file
	objects int                          // in the input
	check   func(output io.Reader) error // whether the work was done; nil: nothing to look at
}

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
	input, err := os.Open(c.stdin)
	if err != nil {
		return run{}, err
	}
	defer input.Close()
	var stderr bytes.Buffer
	cmd := exec.Command(c.command[0], c.command[1:]...)
	cmd.Stdin, cmd.Stderr = input, &stderr
	if stdout != nil {
		cmd.Stdout = stdout
	}

	start := time.Now()
	err = cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return run{}, fmt.Errorf("%s: %w\n%s", c.name, err, stderr.Bytes())
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return run{}, errors.New("this system doesn't tell the memory that a process has used")
	}
	return run{wall: wall, rss: usage.Maxrss * maxrssUnit()}, nil
}

// maxrssUnit is the unit of ru_maxrss in bytes: getrusage(2) counts in bytes on macOS and in KiB
// elsewhere.
func maxrssUnit() int64 {
	if runtime.GOOS == "darwin" {
		return 1
	}
	return 1024
}

// measure runs the contestants in turn, so that a busy spell of the machine hits all of them, and
// returns the median of each. The medians of time and memory are taken apart.
func measure(contestants []contestant, repetitions int) ([]run, error) {
	runs := make([][]run, len(contestants))
	for range repetitions {
		for i, c := range contestants {
			cost, err := c.run(nil)
			if err != nil {
				return nil, err
			}
			runs[i] = append(runs[i], cost)
		}
	}
	medians := make([]run, len(contestants))
	for i, costs := range runs {
		medians[i] = run{
			wall: median(costs, func(r run) time.Duration { return r.wall }),
			rss:  median(costs, func(r run) int64 { return r.rss }),
		}
	}
	return medians, nil
}

// median returns the middle value, the lower one of two.
func median[T time.Duration | int64](runs []run, value func(run) T) T {
	values := make([]T, len(runs))
	for i, r := range runs {
		values[i] = value(r)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}
