package parallel

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestEachCallsForAll(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 1000} {
		calls := make([]atomic.Int32, n)
		if err := Each(n, func(i int) error { calls[i].Add(1); return nil }); err != nil {
			t.Errorf("%d: %v", n, err)
		}
		for i := range calls {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("%d: index %d was called %d times, want once", n, i, got)
			}
		}
	}
}

func TestEachReturnsTheErrorOfTheLowestIndex(t *testing.T) {
	for _, n := range []int{20, 1000} {
		calls := make([]atomic.Int32, n)
		err := Each(n, func(i int) error {
			calls[i].Add(1)
			if i >= 13 {
				return fmt.Errorf("index %d failed", i)
			}
			return nil
		})
		if err == nil || err.Error() != "index 13 failed" {
			t.Errorf("%d: got %v, want index 13 failed", n, err)
		}
		for i := range 14 {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("%d: index %d was called %d times, want once", n, i, got)
			}
		}
	}
}

// TestEachUntilStops has a call wait until it is stopped because of another one.
func TestEachUntilStops(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	synctest.Test(t, func(t *testing.T) {
		stopped := make(chan struct{})
		err := EachUntil(24, func(i int) error {
			if i == 8 {
				return errors.New("index 8 failed")
			}
			if i == 7 {
				<-stopped
			}
			return nil
		}, func() { close(stopped) })
		if err == nil || err.Error() != "index 8 failed" {
			t.Fatalf("got %v, want index 8 failed", err)
		}
	})
}

// TestEachPanicsInTheCaller checks that a panic can be recovered in the goroutine of the caller,
// whatever other calls return.
func TestEachPanicsInTheCaller(t *testing.T) {
	for _, n := range []int{20, 1000} {
		err := recovered(func() {
			_ = Each(n, func(i int) error {
				if i == 3 {
					panic("hunter2")
				}
				if i > 3 {
					return errors.New("failed")
				}
				return nil
			})
		})
		if err == nil || err.Reason != "a panic (string)" {
			t.Errorf("%d: got %v, want a panic (string)", n, err)
		}
	}
}

func recovered(do func()) (err *PanicError) {
	defer func() {
		if value := recover(); value != nil {
			err = Recovered(value)
		}
	}()
	do()
	return nil
}

func TestAny(t *testing.T) {
	for _, n := range []int{0, 1, 7, 100} {
		for at := range n {
			if !Any(n, func(i int) bool { return i == at }) {
				t.Errorf("none of %d, want that at %d", n, at)
			}
		}
		if Any(n, func(int) bool { return false }) {
			t.Errorf("one of %d, want none", n)
		}
	}
}
