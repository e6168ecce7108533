package jq

import (
	"context"
	"time"
)

// What an evaluation in this process may use before it continues in the child.
const (
	confinedSteps = 100_000
	confinedTime  = 20 * time.Millisecond
	// bytesPerStep is how much memory one step is assumed to add.
	bytesPerStep = 1 << 10
	// stepsPerLook is how many steps there are between two checks of the clock.
	stepsPerLook = 16
)

// budget is the context of an evaluation in this process. gojq calls Done before each of its steps,
// so steps are counted there. It is used by one goroutine.
type budget struct {
	context.Context
	steps    int
	deadline time.Time
	err      error
}

func newBudget(limits Limits) *budget {
	return &budget{
		Context:  context.Background(),
		steps:    int(min(confinedSteps, limits.Memory/bytesPerStep)),
		deadline: time.Now().Add(min(confinedTime, limits.Timeout)),
	}
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Done counts one step.
func (b *budget) Done() <-chan struct{} {
	b.steps--
	if b.steps >= 0 && (b.steps%stepsPerLook != 0 || time.Now().Before(b.deadline)) {
		return nil
	}
	b.err = errBeyond
	return closed
}

// Err returns errBeyond once the budget is used up.
func (b *budget) Err() error { return b.err }

// weigh returns errBeyond for results that are too large to examine here.
func (b *budget) weigh(v any) error {
	if weigh(v, inputWeight) < 0 {
		return errBeyond
	}
	return nil
}
