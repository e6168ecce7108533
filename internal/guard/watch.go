package guard

import (
	"math"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
)

const (
	// interval is how long there is between two looks.
	interval = 2 * time.Millisecond
	// overtime is how long a library may take to end its work itself.
	overtime = 200 * time.Millisecond
)

// watching is the watch of this process; nil for none.
var watching atomic.Pointer[watch]

// watch looks at what is under way.
type watch struct {
	// memory is what was in use at the last look.
	memory atomic.Uint64
	// mutex is held while the process is ended, so that nothing goes on behind Enter, Leave and
	// OnAbort.
	mutex sync.Mutex
	works map[*Work]bool
	hooks []func(failed report.Result) (isTold bool)
	abort func(failed report.Result, isTold bool)
	// base is the memory that was in use at the start.
	base uint64
	// collects is true while it is found out whether too much memory, which was seen, is garbage.
	collects atomic.Bool
}

// Start watches what is under way until stop is called. Abort gets the result that ends the run; it
// must tell the user unless a function of OnAbort has, and end the process.
func Start(abort func(failed report.Result, isTold bool)) (stop func()) {
	w := &watch{works: map[*Work]bool{}, abort: abort, base: memoryInUse()}
	w.memory.Store(w.base)
	release := parallel.Reserve()
	ticker, stopped := time.NewTicker(interval), make(chan struct{})
	watching.Store(w)
	go func() {
		for {
			select {
			case <-ticker.C:
				w.look()
			case <-stopped:
				return
			}
		}
	}()
	return func() {
		watching.Store(nil)
		ticker.Stop()
		close(stopped)
		release()
	}
}

// OnAbort has a function called before the process is ended, until done is called. It returns true
// if it has told the user why. In a program without Start it is never called.
func OnAbort(hook func(failed report.Result) (isTold bool)) (done func()) {
	w := watching.Load()
	if w == nil {
		return func() {}
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.hooks = append(w.hooks, hook)
	return func() {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.hooks = w.hooks[:len(w.hooks)-1]
	}
}

func (w *watch) add(one *Work) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.works[one] = true
}

func (w *watch) remove(one *Work) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	delete(w.works, one)
}

// look ends the process if something is past its limit.
func (w *watch) look() {
	inUse, live := memoryInUse(), liveMemory()
	w.memory.Store(inUse)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var longest, late *Work
	over, overLive := int64(0), int64(0)
	for one := range w.works {
		if longest == nil || longest.HasParts && !one.HasParts || longest.HasParts == one.HasParts && one.start.Before(longest.start) {
			longest = one
		}
		if time.Since(one.start) > one.Timeout+overtime {
			late = one
		}
		over, overLive = max(over, w.excess(one, inUse)), max(overLive, w.excess(one, live))
	}
	switch {
	case late != nil:
		w.end(late, late.timedOut())
	case over > garbage+max(int64(live-w.base), 0), over > 0 && overLive > 0:
		w.end(longest, longest.outOfMemory())
	case over > 0 && w.collects.CompareAndSwap(false, true):
		go func() {
			runtime.GC()
			w.collects.Store(false)
		}()
	}
}

// end ends the process because of one work.
func (w *watch) end(one *Work, err error) {
	failed := one.report(err)
	isTold := false
	for _, hook := range w.hooks {
		isTold = hook(failed) || isTold
	}
	w.abort(failed, isTold)
}

// maxStacks is what stacks may take, whatever the limits: Go ends a process whose stack has a
// gigabyte, and makes a stack that is full twice as large.
const maxStacks = 256 << 20

// memoryInUse is what the heap, with garbage, and the stacks take.
func memoryInUse() uint64 {
	samples := [...]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples[:])
	stacks := samples[1].Value.Uint64()
	if stacks > maxStacks {
		return math.MaxInt64
	}
	return samples[0].Value.Uint64() + stacks
}

// liveMemory is what the last collection has left of the heap.
func liveMemory() uint64 {
	sample := [...]metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample[:])
	return sample[0].Value.Uint64()
}

const (
	// slack is what may come on top of a limit: a library that ends its work itself names the
	// expression for certain.
	slack = 32 << 20
	// garbage is what may come on top of that, and as much as was live, before it is known how much
	// is garbage.
	garbage = 64 << 20
	// usual is what a run takes for itself, and perByte what it takes for a byte of its input.
	usual   = 64 << 20
	perByte = 10
)

// input is the sum of the sizes that Input was called with.
var input atomic.Int64

// Input adds the size of an input, which allows the run to take more memory.
func Input(size int64) { input.Add(size) }

// excess is how far the memory in use is beyond what it may be with one work under way: that work
// counts from its beginning on, and all of the run from the start on.
func (w *watch) excess(one *Work, inUse uint64) int64 {
	ofRun := usual + perByte*input.Load() + one.Memory
	return max(int64(inUse-one.base)-one.Memory, int64(inUse-w.base)-ofRun) - slack
}
