package guard

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// collector starts the garbage collections while something is under way. Left to itself, Go starts
// one for a step that allocates a gigabyte, and stops all goroutines, that of the watch too, until
// the step has filled it. It is used under the mutex of the watch.
type collector struct {
	// isOn is true while collections are not Go's, and percent is what Go's GOGC was before, below
	// 0 for none.
	isOn    bool
	percent int
	// idle counts the looks since something was under way.
	idle int
	// begun and done count the collections, and live is what the last one has left.
	begun int64
	done  atomic.Int64
	live  atomic.Uint64
}

// maxIdle is after how many looks at nothing Go collects again: to switch stops all goroutines.
const maxIdle = 10

// begin takes over from Go, unless the environment bounds its memory.
func (c *collector) begin() {
	c.idle = 0
	if c.isOn || c.percent < 0 || hasLimit() {
		return
	}
	c.percent = debug.SetGCPercent(-1)
	c.live.Store(liveHeap())
	c.isOn = c.percent >= 0
}

// end leaves it to Go again.
func (c *collector) end() {
	if c.isOn {
		debug.SetGCPercent(c.percent)
		c.isOn = false
	}
}

// look starts a collection if it is time for one, or leaves that to Go.
func (c *collector) look(inUse uint64, isUnderWay bool) {
	if c.idle++; isUnderWay {
		c.idle = 0
	}
	switch {
	case c.idle > maxIdle:
		c.end()
	case c.isOn && inUse > goalFor(c.live.Load()) && c.begun == c.done.Load():
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
