package fn

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	usualGOGC = 100 // the default of GOGC
	laterGOGC = 50  // GOGC after the first collection: less memory than usual, for a few percent of the time
	// minHeap is the size of the heap at which a GOGC of 100 begins to collect, however little is
	// in use.
	minHeap = 4 << 20
)

// heapMutex serializes changes of GOGC by concurrent runs.
var heapMutex sync.Mutex

// allowHeap delays the next garbage collection until the heap has that many bytes; after it, the
// heap may grow by half between two collections. It does nothing if GOGC or GOMEMLIMIT is set.
//
// A concurrent collection slows pointer writes, and a small heap without garbage would be collected
// often at the start.
func allowHeap(bytes int64) {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 && setGOGC(bytes) {
		runtime.AddCleanup(new([64]byte), collectAt, laterGOGC)
	}
}

// setGOGC sets GOGC so that the heap takes that many bytes, unless it has been set already.
func setGOGC(bytes int64) bool {
	heapMutex.Lock()
	defer heapMutex.Unlock()
	if read("/gc/gogc:percent") != usualGOGC {
		return false
	}
	debug.SetGCPercent(percentFor(bytes, int64(read("/gc/heap/live:bytes"))))
	return true
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

// collectAt is called after the first collection, which finds the value of allowHeap to be garbage.
func collectAt(percent int) {
	heapMutex.Lock()
	defer heapMutex.Unlock()
	debug.SetGCPercent(percent)
}
