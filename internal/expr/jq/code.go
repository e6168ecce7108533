package jq

import (
	"context"
	"errors"
	"sync"

	"github.com/krm-fields/krm-fields/internal/guard"
)

// code is a compiled expression. It has an evaluator for each goroutine: gojq's del writes to the
// objects that are in the expression itself.
type code struct {
	expression string
	mode       mode
	limits     Limits
	mutex      sync.Mutex
	idle       []*evaluator
}

func (c *code) take() (*evaluator, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	n := len(c.idle)
	if n == 0 {
		return newEvaluator(c.expression, c.mode)
	}
	e := c.idle[n-1]
	c.idle = c.idle[:n-1]
	return e, nil
}

func (c *code) put(e *evaluator) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.idle = append(c.idle, e)
}

// run returns what the expression yields for value.
func (c *code) run(value any, by guard.Reporter) ([]any, error) {
	work := guard.Enter(c.limits.of(c.expression, by))
	defer work.Leave()
	e, err := c.take()
	if err != nil {
		return nil, c.fault(err)
	}
	defer c.put(e)
	results, err := e.run(work, value)
	if err != nil {
		return nil, c.fault(err)
	}
	for i := range results {
		results[i] = plain(results[i])
	}
	return results, nil
}

// fault adds the expression to an error of the evaluation.
func (c *code) fault(err error) error {
	if guard.IsLimit(err) || errors.Is(err, context.Canceled) {
		return err
	}
	failed := &failure{cause: "the evaluation failed"}
	errors.As(err, &failed)
	cause := failed.cause
	switch failed.kind {
	case nullFailure:
		cause = hintNull(c.expression, cause)
	case valueFailure:
		cause = hintValue(c.expression, cause)
	}
	safe := failed.safe
	if safe == "" {
		safe = cause
	}
	return &RuntimeError{Expression: c.expression, Cause: cause, SafeCause: safe}
}
