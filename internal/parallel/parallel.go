// Package parallel spreads work over the cores, and turns a panic in it into an error.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// maxChunk is how many items a worker takes at once. It takes fewer of the last items, so that all
// workers end at about the same time, and Each takes fewer of few items, since they may be large.
const maxChunk = 8

// reserved is how many processors are not for workers.
var reserved atomic.Int32

// Workers is how many goroutines work side by side.
func Workers() int { return max(runtime.GOMAXPROCS(0)-int(reserved.Load()), 1) }

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
func Each(n int, do func(i int) error) error {
	workers := max(min(Workers(), n), 1)
	return each(n, workers, min(max(n/(maxChunk*workers), 1), maxChunk), do, nil)
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

// chunkSize is how much text, in bytes, a worker takes at once if that is less than maxChunk items.
const chunkSize = 512 << 10

// grace is how long calls with a lower index than that of a failure may go on.
const grace = time.Second

// EachUntil is Each, and calls stop once a call has failed and every call with a lower index has
// returned: whatever still runs then does not change the outcome. If that takes more than a second
// after the failure, it calls stop all the same, and a higher index may be the lowest that fails.
// That is rare: up to eight calls come one after the other. Only calls for large texts, of which
// size is the sum in bytes, do not, since sharing them out evenly saves more.
func EachUntil(n, size int, do func(i int) error, stop func()) error {
	chunk := min(max(n*chunkSize/max(size, 1), 1), maxChunk)
	return each(n, min(Workers(), (n+chunk-1)/chunk), chunk, do, stop)
}

// each is EachUntil; stop is nil where nothing is to be stopped.
func each(n, workers, chunk int, do func(i int) error, stop func()) error {
	if workers <= 1 {
		for i := range n {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	r := run{n: n, workers: workers, chunk: chunk}
	if stop != nil {
		r.done, r.stop = make([]atomic.Bool, n), sync.OnceFunc(stop)
	}
	r.failed.Store(int64(n))
	var group sync.WaitGroup
	for range workers {
		group.Go(func() { r.work(do) })
	}
	group.Wait()
	if panicked := r.panicked.Load(); panicked != nil {
		panic(panicked)
	}
	return r.err
}

type run struct {
	n       int
	workers int
	chunk   int          // how many items a worker takes at once
	failed  atomic.Int64 // the lowest index that has failed so far; n for none
	mutex   sync.Mutex
	next    int   // the first index that no worker has taken
	err     error // that of the call for the index failed
	// done tells which calls have returned, and allBelow is an index below which every one has.
	// Both are for stop, which is nil where nothing is to be stopped.
	done     []atomic.Bool
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
			r.fail(-1, nil) // nothing more is to be done
		}
	}()
	for {
		start, end := r.take()
		if start == end {
			return
		}
		for i := start; i < end; i++ {
			if int64(i) > r.failed.Load() {
				return
			}
			err := do(i)
			if err != nil {
				r.fail(i, err)
			}
			if r.stop != nil {
				r.note(i)
			}
			if err != nil {
				return
			}
		}
	}
}

// take returns the range of the next items for a worker: a chunk at first, later no more than its
// share of half of what is left.
func (r *run) take() (start, end int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	start = r.next
	size := r.chunk
	if left := r.n - start; start >= r.workers*r.chunk {
		size = max(min(left/(2*r.workers), size), 1)
	}
	r.next = min(start+size, r.n)
	return start, r.next
}

// note records that a call has returned, and stops the others if those that count have. It looks
// for a failure after it has recorded the call, and a call that fails does the reverse, so that one
// of the two sees the other.
func (r *run) note(i int) {
	r.done[i].Store(true)
	if int(r.failed.Load()) == r.n {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for r.allBelow < r.n && r.done[r.allBelow].Load() {
		r.allBelow++
	}
	if r.allBelow >= int(r.failed.Load()) {
		r.stop()
	}
}

// fail records that the call for an index has failed.
func (r *run) fail(i int, err error) {
	if r.stop != nil {
		r.patience.Do(func() { time.AfterFunc(grace, r.stop) })
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if int64(i) < r.failed.Load() {
		r.failed.Store(int64(i))
		r.err = err
	}
}
