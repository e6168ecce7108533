package jq

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// guard runs one expression under its limits, in this process where it may be and else in a child.
type guard struct {
	expression string
	mode       mode
	limits     Limits
	// isConfined is set for an expression that may be run in this process. Then there is an
	// evaluator for each goroutine: gojq's del writes to the objects that are in the expression
	// itself, if only what is there already.
	isConfined bool
	mutex      sync.Mutex
	idle       []*evaluator
	// needsAll is for the pool of children.
	needsAll atomic.Bool
	// inChild counts the evaluations in a child.
	inChild atomic.Int64
}

// newGuard takes an expression that parse and checkCompiles have taken.
func newGuard(expression string, m mode, limits Limits) *guard {
	g := &guard{expression: expression, mode: m, limits: limits.orDefaults()}
	if confined, err := newEvaluator(expression, m, true); err == nil {
		g.isConfined = true
		g.idle = append(g.idle, confined)
	}
	return g
}

func (g *guard) take() (*evaluator, error) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	n := len(g.idle)
	if n == 0 {
		return newEvaluator(g.expression, g.mode, true)
	}
	e := g.idle[n-1]
	g.idle = g.idle[:n-1]
	return e, nil
}

func (g *guard) put(e *evaluator) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.idle = append(g.idle, e)
}

// run returns what the expression yields for value.
func (g *guard) run(value any) ([]any, error) {
	if err := g.limits.Context.Err(); err != nil {
		return nil, err
	}
	start := time.Now()
	isLarge := weigh(value, inputWeight) < 0
	results, err := []any(nil), errBeyond
	if g.isConfined && !isLarge {
		results, err = g.runHere(value)
	}
	if errors.Is(err, errBeyond) {
		g.inChild.Add(1)
		r := request{mode: g.mode, expression: g.expression, memory: g.limits.Memory, isLarge: isLarge, value: value}
		results, err = g.runInChild(r, g.limits.Timeout-time.Since(start))
	}
	if err != nil {
		return nil, g.fault(err)
	}
	return results, nil
}

// runHere returns errBeyond where the evaluation is too large for this process.
func (g *guard) runHere(value any) ([]any, error) {
	e, err := g.take()
	if err != nil {
		return nil, err
	}
	defer g.put(e)
	results, err := e.run(newBudget(g.limits), value)
	for i := range results {
		results[i] = plain(results[i])
	}
	return results, err
}

func (g *guard) runInChild(r request, timeout time.Duration) ([]any, error) {
	if timeout <= 0 {
		return nil, errTimeout
	}
	return children.evaluate(g.limits.Context, r, timeout, &g.needsAll)
}

// fault adds the expression to an error of the evaluation.
func (g *guard) fault(err error) error {
	var failed *failure
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, errTimeout):
		return &TimeoutError{Expression: g.expression, Limit: g.limits.Timeout}
	case errors.Is(err, errMemory):
		return &MemoryError{Expression: g.expression, Limit: g.limits.Memory}
	case errors.As(err, &failed):
		return g.runtimeError(failed)
	}
	return &ChildError{Expression: g.expression, Err: err}
}

func (g *guard) runtimeError(failed *failure) error {
	cause := failed.cause
	switch failed.kind {
	case nullFailure:
		cause = hintNull(g.expression, cause)
	case valueFailure:
		cause = hintValue(g.expression, cause)
	}
	safe := failed.safe
	if safe == "" {
		safe = cause
	}
	return &RuntimeError{Expression: g.expression, Cause: cause, SafeCause: safe}
}
