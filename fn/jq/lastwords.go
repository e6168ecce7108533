package jq

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"syscall"
	"time"
)

// lastWords keeps the beginning of what a child writes to stderr, which is
// nothing as long as it runs.
type lastWords struct {
	mutex sync.Mutex
	text  []byte
}

// maxLastWords is more than Go writes before it says what is wrong.
const maxLastWords = 4 << 10

func (w *lastWords) Write(b []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.text = append(w.text, b[:min(len(b), maxLastWords-len(w.text))]...)
	return len(b), nil
}

func (w *lastWords) hasAny(texts []string) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(w.text, []byte(text)) })
}

// errEnded says that a child ended for a reason that is not the expression's.
type errEnded struct{ reason string }

func (e *errEnded) Error() string { return e.reason }

// noThread is what the Go runtime writes, without and with cgo, where the system
// gives it no thread. It has no exit code of its own for that.
var noThread = []string{"failed to create new OS thread", "pthread_create failed"}

// causeOfEnd returns errMemory for a child that has run out of memory or stack,
// and an *errEnded for one that ended otherwise. It waits for the end.
func (p *process) causeOfEnd() error {
	// It closes its streams a little before it has ended, and is not to be killed by
	// then. One that goes on without them is.
	timer := time.AfterFunc(time.Second, p.kill)
	p.ended = true
	p.in.Close()
	_ = p.command.Wait() // how it ended is in ProcessState
	if !timer.Stop() {
		return errMemory
	}
	return p.endOf(errMemory)
}

// endOf returns why the child, which has ended, did so, and usual where nothing
// speaks against that.
func (p *process) endOf(usual error) error {
	state := p.command.ProcessState
	if state == nil {
		return usual
	}
	status, _ := state.Sys().(syscall.WaitStatus)
	switch {
	case p.lastWords.hasAny(noThread):
		return &errEnded{"the system gave it no thread; allow more processes, as with a larger --pids-limit"}
	case status.Signaled() && status.Signal() == syscall.SIGKILL:
		return &errEnded{"another process, or the system for lack of memory, killed it"}
	}
	return usual
}

// describeEnd returns why a child did not come up.
func (p *process) describeEnd(usual string) error {
	if p.lastWords.hasAny(noThread) {
		return p.endOf(nil)
	}
	return errors.New(usual)
}
