package heap

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestAllow(t *testing.T) {
	t.Cleanup(reset)
	Allow(1 << 30)
	if percent := gcPercent(); percent != 100<<30/atLeast {
		t.Errorf("GC percent: got %d, want %d", percent, 100<<30/atLeast)
	}
	for range 1000 { // a clean-up runs some time after the collection
		runtime.GC()
		if gcPercent() == later {
			return
		}
	}
	t.Errorf("GC percent after many collections: got %d, want %d", gcPercent(), later)
}

func reset() {
	debug.SetGCPercent(usual)
	debug.SetMemoryLimit(math.MaxInt64)
}

func gcPercent() int {
	percent := debug.SetGCPercent(usual)
	debug.SetGCPercent(percent)
	return percent
}

func TestAllowLeavesSettingsAlone(t *testing.T) {
	t.Cleanup(reset)
	debug.SetGCPercent(50)
	Allow(1 << 20)
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		t.Errorf("memory limit: got %d, want none", limit)
	}
	debug.SetMemoryLimit(1 << 30)
	Allow(1 << 20)
	if limit := debug.SetMemoryLimit(-1); limit != 1<<30 {
		t.Errorf("memory limit: got %d, want that of before", limit)
	}
	if percent := debug.SetGCPercent(usual); percent != 50 {
		t.Errorf("GC percent: got %d, want that of before", percent)
	}
}
