package guard

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"github.com/krm-fields/krm-fields/internal/heap"
)

// collector starts the garbage collections of a process that is watched. Left to itself, Go starts
// one for a step that allocates a gigabyte, and stops all goroutines, that of the watch too, until
// the step has filled it.
type collector struct {
	// isOff is true where the environment sets how Go collects.
	isOff bool
	// begun and done count the collections, and live is what the last one has left.
	begun int64
	done  atomic.Int64
	live  atomic.Uint64
}

// usualPercent is what Go's GOGC is unless the environment sets it.
const usualPercent = 100

// begin takes over from Go, until restore.
func (c *collector) begin() (restore func()) {
	percent := debug.SetGCPercent(-1)
	if c.isOff = percent != usualPercent || heap.HasLimit(); c.isOff {
		debug.SetGCPercent(percent)
	}
	return func() { debug.SetGCPercent(percent) }
}

// look starts a collection if it is time for one.
func (c *collector) look(inUse uint64) {
	if !c.isOff && inUse > heap.Goal(c.live.Load()) && c.begun == c.done.Load() {
		c.collect()
	}
}

// collect starts a collection, behind those under way, and returns its number.
func (c *collector) collect() int64 {
	c.begun++
	go func() {
		runtime.GC()
		c.live.Store(memoryInUse())
		c.done.Add(1)
	}()
	return c.begun
}
