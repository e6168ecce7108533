package guard

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
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

// end leaves it to Go again. After a collection, of which collected may have heard while GOGC was
// another one, the next is no longer to be delayed.
func (c *collector) end() {
	if !c.isOn {
		return
	}
	c.isOn = false
	debug.SetGCPercent(c.percent)
	if c.percent > 0 && int64(c.percent) == delayed.Load() && cycles() > cyclesBefore.Load() {
		collected(c.percent)
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

const (
	// freeMemory is how many bytes, besides twice the size of the input, a run may take before
	// garbage is collected.
	freeMemory = 24 << 20
	usualGOGC  = 100 // the default of GOGC
	laterGOGC  = 50  // GOGC after the first collection: less memory than usual, for a few percent of the time
	// minHeap is the size of the heap at which a GOGC of 100 begins to collect, however little is
	// in use.
	minHeap = 4 << 20
)

// mutex serializes changes of GOGC by concurrent runs.
var mutex sync.Mutex

// input is the sum of the sizes that DelayCollection was called with.
var input atomic.Int64

// hasLimit tells whether GOMEMLIMIT is set.
func hasLimit() bool { return debug.SetMemoryLimit(-1) != math.MaxInt64 }

// liveHeap is what the last collection has left; 0 before the first.
func liveHeap() uint64 { return read("/gc/heap/live:bytes") }

// goalFor is how large a heap with so many live bytes may become before its garbage is collected.
func goalFor(live uint64) uint64 {
	if live == 0 {
		return uint64(freeMemory + 2*input.Load())
	}
	return live + max(live*laterGOGC/100, minHeap, uint64(spare.Load()))
}

// spare is how many bytes the heap may grow by between two collections, if that is more than else.
var spare atomic.Int64

// Spare lets the heap grow by so many bytes between two collections: for work that allocates much
// and keeps little, of which the collections would take a third of the time.
func Spare(size int64) { spare.Store(size) }

// DelayCollection delays the next garbage collection as fits a run on so many bytes; after it, the
// heap may grow by half between two collections. It does nothing if GOGC or GOMEMLIMIT is set.
//
// A concurrent collection slows pointer writes, and a small heap without garbage would be collected
// often at the start.
func DelayCollection(size int64) {
	input.Add(size)
	mutex.Lock()
	defer mutex.Unlock()
	if hasLimit() || read("/gc/gogc:percent") != usualGOGC {
		return
	}
	collectAt(freeMemory + 2*size)
}

// delayed is the GOGC that collectAt has set last, 0 for none, and cyclesBefore are the collections
// until then.
var (
	delayed      atomic.Int64
	cyclesBefore atomic.Uint64
)

func cycles() uint64 { return read("/gc/cycles/total:gc-cycles") }

// collectAt makes the next collection begin when the heap has that size, and calls collected then.
func collectAt(bytes int64) {
	percent := percentFor(bytes, int64(liveHeap()))
	delayed.Store(int64(percent))
	cyclesBefore.Store(cycles())
	debug.SetGCPercent(percent)
	runtime.AddCleanup(new([64]byte), collected, percent)
}

// percentFor returns the GOGC with which a heap with that many live bytes is collected at the given
// size.
func percentFor(bytes, live int64) int {
	percent := bytes * usualGOGC / minHeap
	if live > 0 {
		percent = min(percent, (bytes-live)*usualGOGC/live)
	}
	return int(max(percent, laterGOGC))
}

// read returns a number of package runtime/metrics. debug.SetGCPercent could read GOGC only by
// setting it.
func read(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// collected is called after a collection, which finds the value that collectAt has made to be
// garbage. It delays the next one with Spare, and else ends what was set, unless GOGC has been set
// since.
func collected(set int) {
	mutex.Lock()
	defer mutex.Unlock()
	switch {
	case int(read("/gc/gogc:percent")) != set:
	case spare.Load() > 0:
		collectAt(int64(goalFor(liveHeap())))
	default:
		debug.SetGCPercent(laterGOGC)
	}
}
