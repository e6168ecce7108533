package jq

import (
	"context"
	"runtime"
	"runtime/metrics"
	"time"
)

// A program in a browser can start no child, so there an expression that is not confined runs in
// the program itself: between the steps of gojq it is held to its limits, within one step it is
// not. The page ends a program that takes too long, and WebAssembly one that takes too much memory.

// held is the context of such an evaluation. It is used by one goroutine.
type held struct {
	context.Context
	deadline time.Time
	// most is how large the heap may be.
	most   uint64
	sample []metrics.Sample
	steps  int
	err    error
}

const (
	// heldStepsPerLook is how many steps of gojq there are between two looks at the clock, and
	// heldLooksPerMeasure how many of these between two at the heap.
	heldStepsPerLook    = 256
	heldLooksPerMeasure = 16
)

// here are the evaluators of this process. It is for one goroutine at a time.
type here map[evaluatorKey]*evaluator

// maxEvaluators is how many are kept.
const maxEvaluators = 100

// evaluate runs an expression in this process, under its limits as far as that goes. Errors are
// *failure, errTimeout and errMemory.
func (all here) evaluate(r request, timeout time.Duration) ([]any, error) {
	e, err := all.evaluator(evaluatorKey{r.mode, r.expression})
	if err != nil {
		return nil, err
	}
	h := &held{
		Context: context.Background(), deadline: time.Now().Add(timeout),
		sample: []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}},
	}
	h.most = h.heap() + uint64(r.memory)
	results, err := e.run(h, r.value)
	for i := range results {
		results[i] = plain(results[i])
	}
	return results, err
}

// evaluator compiles an expression when it comes for the first time.
func (all here) evaluator(key evaluatorKey) (*evaluator, error) {
	if e, known := all[key]; known {
		return e, nil
	}
	e, err := newEvaluator(key.expression, key.mode, false)
	if err != nil {
		return nil, err
	}
	if len(all) == maxEvaluators {
		clear(all)
	}
	all[key] = e
	return e, nil
}

// heap is the size of the heap, garbage included.
func (h *held) heap() uint64 {
	metrics.Read(h.sample)
	return h.sample[0].Value.Uint64()
}

// fits tells whether what is live is within the limit.
func (h *held) fits() bool {
	if h.heap() <= h.most {
		return true
	}
	runtime.GC()
	return h.heap() <= h.most
}

// Done counts one step.
func (h *held) Done() <-chan struct{} {
	if h.err == nil {
		h.steps++
		switch {
		case h.steps%heldStepsPerLook != 0:
			return nil
		case !time.Now().Before(h.deadline):
			h.err = errTimeout
		case h.steps%(heldStepsPerLook*heldLooksPerMeasure) == 0 && !h.fits():
			h.err = errMemory
		default:
			return nil
		}
	}
	return closed
}

// Err returns the limit that was passed.
func (h *held) Err() error { return h.err }

// weigh returns errMemory for results that don't fit.
func (h *held) weigh(v any) error {
	if !h.fits() || weigh(v, int(min(h.most, 1<<40))) < 0 {
		return errMemory
	}
	return nil
}
