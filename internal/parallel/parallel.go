// Package parallel spreads work over the cores, and turns a panic in it into an error.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// chunk is how many items a worker takes at once.
const chunk = 8

// Each calls do for 0 to n-1, from as many goroutines as there are cores, and returns the error of
// the lowest index whose call fails. Every index below that one is called; those above it may be
// left out. A call that panics ends Each with the panic of a *PanicError in the goroutine of the
// caller, who can recover it there.
func Each(n int, do func(i int) error) error { return EachUntil(n, do, func() {}) }

// grace is how long calls with a lower index than that of a failure may go on.
const grace = time.Second

// EachUntil is Each, and calls stop once a call has failed and every call with a lower index has
// returned: whatever still runs then does not change the outcome. If that takes more than a second
// after the failure, it calls stop all the same.
func EachUntil(n int, do func(i int) error, stop func()) error {
	workers := min(runtime.GOMAXPROCS(0), (n+chunk-1)/chunk)
	if workers <= 1 {
		for i := range n {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	r := run{errs: make([]error, n), done: make([]bool, n), stop: sync.OnceFunc(stop)}
	r.failed.Store(int64(n))
	var group sync.WaitGroup
	for range workers {
		group.Go(func() { r.work(do) })
	}
	group.Wait()
	if panicked := r.panicked.Load(); panicked != nil {
		panic(panicked)
	}
	if failed := int(r.failed.Load()); failed < n {
		return r.errs[failed]
	}
	return nil
}

type run struct {
	errs   []error
	next   atomic.Int64
	failed atomic.Int64 // the lowest index that has failed so far
	mutex  sync.Mutex
	done   []bool
	// allBelow is an index below which every call has returned.
	allBelow int
	stop     func()
	// patience runs from the first failure on.
	patience sync.Once
	// panicked is what ended a worker.
	panicked atomic.Pointer[PanicError]
}

func (r *run) work(do func(i int) error) {
	defer func() {
		if value := recover(); value != nil {
			r.panicked.Store(Recovered(value))
			r.fail(-1) // nothing more is to be done
		}
	}()
	for {
		start := int(r.next.Add(chunk)) - chunk
		for i := start; i < min(start+chunk, len(r.errs)); i++ {
			if int64(i) > r.failed.Load() {
				return
			}
			r.errs[i] = do(i)
			if r.errs[i] != nil {
				r.fail(int64(i))
			}
			if r.note(i); r.errs[i] != nil {
				return
			}
		}
		if start+chunk >= len(r.errs) {
			return
		}
	}
}

// note records that a call has returned.
func (r *run) note(i int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.done[i] = true
	for r.allBelow < len(r.done) && r.done[r.allBelow] {
		r.allBelow++
	}
	if failed := int(r.failed.Load()); failed < len(r.done) && r.allBelow >= failed {
		r.stop()
	}
}

func (r *run) fail(i int64) {
	r.patience.Do(func() { time.AfterFunc(grace, r.stop) })
	for lowest := r.failed.Load(); i < lowest; lowest = r.failed.Load() {
		if r.failed.CompareAndSwap(lowest, i) {
			return
		}
	}
}
