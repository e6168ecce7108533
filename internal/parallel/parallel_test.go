package parallel

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
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

// TestEachUntilStopsAfterTheFailure fails index 8 while index 0 is at work, which must not be
// stopped, and index 16, which must be.
func TestEachUntilStopsAfterTheFailure(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for range 100 {
		hasFailed, isBehind, stopped := make(chan struct{}), make(chan struct{}), make(chan struct{})
		var isEarly, isDone atomic.Bool
		err := EachUntil(24, 0, func(i int) error {
			switch i {
			case 0:
				<-hasFailed
				runtime.Gosched()
				isDone.Store(true)
			case 8:
				<-isBehind
				close(hasFailed)
				return errors.New("index 8 failed")
			case 16:
				close(isBehind)
				<-stopped
			}
			return nil
		}, func() {
			isEarly.Store(!isDone.Load())
			close(stopped)
		})
		if err == nil || err.Error() != "index 8 failed" {
			t.Fatalf("got %v, want index 8 failed", err)
		}
		if isEarly.Load() {
			t.Fatal("an index below the failure was stopped, want it to end by itself")
		}
	}
}

// TestEachUntilSharesLargeTexts has two calls wait for each other: they must not come one after the
// other.
func TestEachUntilSharesLargeTexts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var both sync.WaitGroup
	both.Add(2)
	if err := EachUntil(2, 2*chunkSize, func(int) error {
		both.Done()
		both.Wait()
		return nil
	}, func() {}); err != nil {
		t.Error(err)
	}
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

func TestTake(t *testing.T) {
	r := run{n: 30, workers: 2, chunk: 8}
	var starts []int
	for start, end := r.take(); start < end; start, end = r.take() {
		starts = append(starts, start)
	}
	if want := []int{0, 8, 16, 19, 21, 23, 24, 25, 26, 27, 28, 29}; !slices.Equal(starts, want) {
		t.Errorf("the ranges begin at %v, want %v", starts, want)
	}
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
