package parallel

import "context"

// Stop is the context of what goroutines evaluate beside each other in a run.
type Stop struct {
	context.Context
	// Cancel ends these evaluations.
	Cancel context.CancelFunc
}

// NewStop returns a Stop that is not done.
func NewStop() Stop {
	ctx, cancel := context.WithCancel(context.Background())
	return Stop{ctx, cancel}
}
