package guard

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"
)

func TestForInput(t *testing.T) {
	t.Cleanup(reset)
	DelayCollection(1 << 30)
	if goal := heapGoal(); goal < 1<<30 || goal > 2<<30+1<<26 {
		t.Errorf("heap goal: got %d, want nearly %d", goal, 2<<30)
	}
	for range 1000 { // a clean-up runs some time after the collection
		runtime.GC()
		if gcPercent() == laterGOGC {
			return
		}
	}
	t.Errorf("GC percent after many collections: got %d, want %d", gcPercent(), laterGOGC)
}

// TestSpare lets the heap grow by so much after each of several collections.
func TestSpare(t *testing.T) {
	t.Cleanup(reset)
	Spare(1 << 30)
	DelayCollection(1 << 20)
	for collection := range 3 {
		runtime.GC()
		for i := 0; heapGoal() < 1<<30; i++ { // a clean-up runs some time after the collection
			if i == 1000 {
				t.Fatalf("heap goal after collection %d: got %d, want %d", collection, heapGoal(), 1<<30)
			}
			runtime.GC()
		}
	}
}

// TestEnd collects while something is under way, when GOGC is not what DelayCollection has set.
func TestEnd(t *testing.T) {
	t.Cleanup(reset)
	DelayCollection(1 << 30)
	delayed := gcPercent()
	for collections, want := range []int{delayed, laterGOGC} {
		var c collector
		c.begin()
		for range collections {
			runtime.GC()
		}
		if c.end(); gcPercent() != want {
			t.Errorf("GC percent after %d collections: got %d, want %d", collections, gcPercent(), want)
		}
	}
}

// TestSetGOGCSideBySide has runs that begin at the same time, as in a program that calls Run from
// several goroutines.
func TestSetGOGCSideBySide(t *testing.T) {
	t.Cleanup(reset)
	for range 1000 {
		reset()
		var runs sync.WaitGroup
		for range 64 {
			runs.Go(func() { DelayCollection(1 << 20) })
		}
		runs.Wait()
		if percent := gcPercent(); percent < laterGOGC {
			t.Fatalf("GC percent: got %d, want one that collects garbage", percent)
		}
	}
}

// TestAllowWithLargeHeap allows memory where much of it is in use already, as by input that came
// from a pipe.
func TestAllowWithLargeHeap(t *testing.T) {
	t.Cleanup(reset)
	input := make([]byte, 64<<20)
	DelayCollection(68 << 20)
	if goal := heapGoal(); goal < 100<<20 || goal > 170<<20 {
		t.Errorf("heap goal: got %d, want nearly %d", goal, 160<<20)
	}
	runtime.KeepAlive(input)
}

func TestPercentFor(t *testing.T) {
	for _, test := range []struct {
		bytes, live int64
		want        int
	}{
		{40 << 20, 0, 1000},
		{40 << 20, 1 << 20, 1000},
		{40 << 20, 20 << 20, 100},
		{40 << 20, 39 << 20, laterGOGC},
		{40 << 20, 100 << 20, laterGOGC},
	} {
		if got := percentFor(test.bytes, test.live); got != test.want {
			t.Errorf("%d bytes, %d of them live: got %d, want %d", test.bytes, test.live, got, test.want)
		}
	}
}

func heapGoal() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func reset() {
	Spare(0)
	delayed.Store(0)
	debug.SetGCPercent(usualGOGC)
	debug.SetMemoryLimit(math.MaxInt64)
}

func gcPercent() int { return int(read("/gc/gogc:percent")) }

func TestAllowLeavesSettingsAlone(t *testing.T) {
	t.Cleanup(reset)
	debug.SetGCPercent(50)
	DelayCollection(1 << 20)
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		t.Errorf("memory limit: got %d, want none", limit)
	}
	debug.SetMemoryLimit(1 << 30)
	DelayCollection(1 << 20)
	if limit := debug.SetMemoryLimit(-1); limit != 1<<30 {
		t.Errorf("memory limit: got %d, want that of before", limit)
	}
	if percent := debug.SetGCPercent(usualGOGC); percent != 50 {
		t.Errorf("GC percent: got %d, want that of before", percent)
	}
}
