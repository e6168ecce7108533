package jq

import (
	"context"
	"sync/atomic"
	"time"
)

// children evaluates what does not run confined.
var children = inTab{here{}}

// inTab evaluates in the tab of a browser, which has one thread.
type inTab struct{ here }

func (t inTab) evaluate(_ context.Context, r request, timeout time.Duration, _ *atomic.Bool) ([]any, error) {
	return t.here.evaluate(r, timeout)
}

// IsChild tells whether this process was started to evaluate expressions, which none is.
func IsChild() bool { return false }

// ChildMain is for a child process.
func ChildMain() {}

// Shutdown has nothing to end.
func Shutdown() {}
