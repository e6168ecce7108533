// Package heap tunes the garbage collector for a process that lives for some tenths of a second.
package heap

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	usual = 100 // the default of GOGC
	later = 50  // GOGC after the first collection: less memory than usual, for a few percent of the time
	// atLeast is the size of the heap at which a GOGC of 100 begins to collect, however little is in use.
	atLeast = 4 << 20
)

// Allow lets the heap take that many bytes before the next garbage collection; from then on it may grow by half between
// two of them. It does nothing where somebody has said already how to collect garbage, by GOGC or GOMEMLIMIT.
//
// A collection that runs beside the work makes each write of a pointer dearer, and at the start, when next to nothing is
// garbage, collections follow each other closely.
func Allow(bytes int64) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return
	}
	if percent := debug.SetGCPercent(-1); percent != usual {
		debug.SetGCPercent(percent)
		return
	}
	debug.SetGCPercent(percentFor(bytes, liveBytes()))
	runtime.AddCleanup(new([64]byte), collectAt, later)
}

// percentFor is the GOGC with which a heap that has live bytes is collected once it has so many.
func percentFor(bytes, live int64) int {
	percent := bytes * usual / atLeast
	if live > 0 {
		percent = min(percent, (bytes-live)*usual/live)
	}
	return int(max(percent, later))
}

// liveBytes is what the last collection found in use.
func liveBytes() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// collectAt is called once the first collection has found the value of Allow to be garbage.
func collectAt(percent int) { debug.SetGCPercent(percent) }
