// Package parallel spreads work over the cores, and turns a panic in it into an error.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// reserved is how many processors are not for workers.
var reserved atomic.Int32

// Workers is how many goroutines work side by side: where processors are reserved, no more than the
// machine has, since more would leave nothing for what they are reserved for.
func Workers() int {
	processors := runtime.GOMAXPROCS(0)
	if r := int(reserved.Load()); r > 0 {
		processors = min(processors-r, runtime.NumCPU())
	}
	return max(processors, 1)
}

// Reserve adds a processor that is not for workers, until it is released.
func Reserve() (release func()) {
	processors := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(processors + 1)
	reserved.Add(1)
	return func() {
		reserved.Add(-1)
		runtime.GOMAXPROCS(processors)
	}
}

// Each calls do for 0 to n-1, from as many goroutines as there are cores, and returns the error of
// the lowest index whose call fails. Every index below that one is called; those above it may be
// left out. A call that panics ends Each with the panic of a *PanicError in the goroutine of the
// caller, who can recover it there.
func Each(n int, do func(i int) error) error { return EachUntil(n, do, func() {}) }

// grace is how long other calls may go on after a failure: one with a lower index may fail, too.
const grace = time.Second

// EachUntil is Each, and calls stop a second after a call has failed, so that the others end soon.
func EachUntil(n int, do func(i int) error, stop func()) error { return EachBy(Workers(), n, do, stop) }

// EachBy is EachUntil with a number of goroutines, for calls that wait for the system.
func EachBy(workers, n int, do func(i int) error, stop func()) error {
	workers = min(workers, n)
	if workers <= 1 {
		for i := range n {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	r := run{do: do, n: int64(n)}
	r.failed.Store(r.n)
	r.impatient = sync.OnceFunc(func() { r.timer = time.AfterFunc(grace, stop) })
	var group sync.WaitGroup
	for range workers {
		group.Go(r.work)
	}
	group.Wait()
	if r.timer != nil {
		r.timer.Stop()
	}
	if panicked := r.panicked.Load(); panicked != nil {
		panic(panicked)
	}
	return r.err
}

type run struct {
	do     func(i int) error
	n      int64
	next   atomic.Int64 // the first index that no worker has taken
	failed atomic.Int64 // the lowest index that has failed so far; n for none
	mutex  sync.Mutex
	err    error // that of the call for the index failed
	// impatient sets the timer that stops the calls.
	impatient func()
	timer     *time.Timer
	// panicked is what ended a worker.
	panicked atomic.Pointer[PanicError]
}

func (r *run) work() {
	defer func() {
		if value := recover(); value != nil {
			r.panicked.Store(Recovered(value))
			r.fail(-1, nil) // nothing more is to be done
		}
	}()
	for {
		i := r.next.Add(1) - 1
		if i >= r.failed.Load() {
			return
		}
		if err := r.do(int(i)); err != nil {
			r.fail(i, err)
			return
		}
	}
}

// fail records that the call for an index has failed.
func (r *run) fail(i int64, err error) {
	r.impatient()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if i < r.failed.Load() {
		r.failed.Store(i)
		r.err = err
	}
}

// Any tells whether is returns true for one of 0 to n-1. It calls it as Each does, and leaves out
// the rest once it has.
func Any(n int, is func(i int) bool) bool {
	var found atomic.Bool
	_ = Each(n, func(i int) error {
		if !found.Load() && is(i) {
			found.Store(true)
		}
		return nil
	})
	return found.Load()
}

// Stop is the context of what goroutines evaluate beside each other in a run.
type Stop struct {
	context.Context
	// Cancel ends these evaluations.
	Cancel context.CancelFunc
}

// NewStop returns a Stop that is not done.
func NewStop() Stop {
	ctx, cancel := context.WithCancel(context.Background())
	return Stop{ctx, cancel}
}
