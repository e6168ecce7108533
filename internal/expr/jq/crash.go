//go:build !js

package jq

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"syscall"
	"time"
)

// crashOutput keeps the beginning of what a child writes to stderr, which it does only when Go ends
// it.
type crashOutput struct {
	mutex sync.Mutex
	text  []byte
}

// maxCrashOutput is more than Go writes before it says what is wrong.
const maxCrashOutput = 4 << 10

func (w *crashOutput) Write(b []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.text = append(w.text, b[:min(len(b), maxCrashOutput-len(w.text))]...)
	return len(b), nil
}

func (w *crashOutput) hasAny(texts []string) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(w.text, []byte(text)) })
}

// noThread is what the Go runtime writes, without and with cgo, where the system gives it no
// thread. It has no exit code of its own for that.
var noThread = []string{"failed to create new OS thread", "pthread_create failed"}

// causeOfEnd returns errMemory for a child that has run out of memory or stack, and an *endedError
// for one that ended otherwise. It waits for the end.
func (p *process) causeOfEnd() error {
	// It closes its streams a little before it has ended, and is not to be killed by then. One that
	// goes on without them is.
	timer := time.AfterFunc(time.Second, p.kill)
	p.ended = true
	p.in.Close()
	_ = p.command.Wait() // how it ended is in ProcessState
	if !timer.Stop() {
		return errMemory
	}
	return p.endOf(errMemory)
}

// endOf returns why the child, which has ended, did so, and usual where nothing speaks against
// that.
func (p *process) endOf(usual error) error {
	state := p.command.ProcessState
	if state == nil {
		return usual
	}
	status, _ := state.Sys().(syscall.WaitStatus)
	switch {
	case p.crashOutput.hasAny(noThread):
		return &endedError{"the system refused it a thread; allow more processes, for example with a larger --pids-limit"}
	case status.Signaled() && status.Signal() == syscall.SIGKILL:
		return &endedError{"it was killed, by another process or by the system for lack of memory"}
	}
	return usual
}

// describeEnd returns why a child did not come up.
func (p *process) describeEnd(usual string) error {
	if p.crashOutput.hasAny(noThread) {
		return p.endOf(nil)
	}
	return errors.New(usual)
}
