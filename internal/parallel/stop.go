package parallel

import (
	"context"
	"time"
)

// grace is how long evaluations may go on after another one has hit a limit, which ends the run.
const grace = 250 * time.Millisecond

// Stop is the context of what goroutines evaluate beside each other in a run.
type Stop struct {
	context.Context
	cancel context.CancelFunc
}

// NewStop returns a Stop that is not done.
func NewStop() Stop {
	ctx, cancel := context.WithCancel(context.Background())
	return Stop{ctx, cancel}
}

// Soon makes the Stop done after a time in which most evaluations end by themselves.
func (s Stop) Soon() { time.AfterFunc(grace, s.cancel) }
