// Package heap tunes the garbage collector for a process that lives for some tenths of a second.
package heap

import (
	"math"
	"runtime"
	"runtime/debug"
)

// Allow lets the process take that many bytes before the first garbage collection; from then on the heap may grow by
// half between two of them. It does nothing where somebody has said already how to collect garbage,
// by GOGC or GOMEMLIMIT.
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
	debug.SetMemoryLimit(bytes)
	runtime.AddCleanup(new([64]byte), collectAt, later)
}

const (
	usual = 100 // the default of GOGC
	later = 50  // GOGC after the first collection: less memory than usual, for a few percent of the time
)

// collectAt is called once the first collection has found the value of Allow to be garbage.
func collectAt(percent int) {
	debug.SetGCPercent(percent)
	debug.SetMemoryLimit(math.MaxInt64)
}
