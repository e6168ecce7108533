// Package heap prepares Go's heap for a run: a program that reads a package, processes it and ends
// has other needs than a server.
package heap

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// freeMemory is how many bytes, besides twice the size of the input, a run may take before
	// garbage is collected.
	freeMemory = 24 << 20
	usualGOGC  = 100 // the default of GOGC
	laterGOGC  = 50  // GOGC after the first collection: less memory than usual, for a few percent of the time
	// minHeap is the size of the heap at which a GOGC of 100 begins to collect, however little is
	// in use.
	minHeap = 4 << 20
	// reserveFrom is the size of an input, in bytes, from which on it is worth a garbage collection
	// to have huge pages, and reserveIn that of a heap up to which a collection costs little.
	reserveFrom = 2 << 20
	reserveIn   = 16 << 20
	// maxReserved bounds how many bytes of the heap are asked to be huge pages.
	maxReserved = 256 << 20
)

// mutex serializes changes of GOGC by concurrent runs.
var mutex sync.Mutex

// ForInput delays the next garbage collection as fits a run on so many bytes; after it, the heap
// may grow by half between two collections. For a large input it also asks the system for huge
// pages, which goes on until the function that it returns is called. It does nothing if GOGC or
// GOMEMLIMIT is set.
//
// A concurrent collection slows pointer writes, and a small heap without garbage would be collected
// often at the start.
func ForInput(size int64) (wait func()) {
	mutex.Lock()
	if debug.SetMemoryLimit(-1) != math.MaxInt64 || read("/gc/gogc:percent") != usualGOGC {
		mutex.Unlock()
		return func() {}
	}
	bytes := freeMemory + 2*size
	if size < reserveFrom || !canAdvise() || !canReserve() || read("/memory/classes/heap/objects:bytes") > uint64(bytes)+reserveIn {
		allow(bytes)
		return func() {}
	}
	debug.SetGCPercent(-1)
	var done sync.WaitGroup
	done.Go(func() {
		reserve(bytes)
		allow(bytes)
	})
	return done.Wait
}

// allow sets GOGC so that the heap takes that many bytes, and unlocks the mutex.
func allow(bytes int64) {
	defer mutex.Unlock()
	percent := percentFor(bytes, int64(read("/gc/heap/live:bytes")))
	debug.SetGCPercent(percent)
	runtime.AddCleanup(new([64]byte), collected, percent)
}

// reserve has the next objects of the heap, up to so many bytes, allocated in huge pages: it
// allocates a buffer, which it doesn't touch, and frees it again. Go doesn't tell otherwise where
// they will be.
func reserve(bytes int64) {
	Advise(make([]byte, min(bytes, maxReserved)))
	runtime.GC()
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

// collected is called after the first collection, which finds the value that allow has made to be
// garbage. It ends what allow has set, unless somebody else has set GOGC since then.
func collected(set int) {
	mutex.Lock()
	defer mutex.Unlock()
	if int(read("/gc/gogc:percent")) == set {
		debug.SetGCPercent(laterGOGC)
	}
}
