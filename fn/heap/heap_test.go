package heap

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestAllow(t *testing.T) {
	t.Cleanup(func() { collectAt(usual) })
	Allow(1 << 30)
	if limit := debug.SetMemoryLimit(-1); limit != 1<<30 {
		t.Errorf("memory limit: got %d, want %d", limit, 1<<30)
	}
	for debug.SetMemoryLimit(-1) != math.MaxInt64 { // a clean-up runs some time after the collection
		runtime.GC()
		runtime.Gosched()
	}
	if percent := debug.SetGCPercent(usual); percent != later {
		t.Errorf("GC percent after the first collection: got %d, want %d", percent, later)
	}
}

func TestAllowLeavesSettingsAlone(t *testing.T) {
	t.Cleanup(func() { collectAt(usual) })
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
