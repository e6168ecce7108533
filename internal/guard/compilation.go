package guard

import (
	"sync/atomic"
	"time"
)

// How long one expression, and all of a run together, may take to compile.
const (
	maxOne = 2 * time.Second
	maxAll = 5 * time.Second
)

// Compilation adds up the time that the expressions of a run take to compile. The zero value has
// none. It is safe for use by several goroutines.
type Compilation struct{ used atomic.Int64 }

// Enter begins to compile an expression. Its timeout is the guard's own, and nothing stops it.
func (c *Compilation) Enter(what What) *Work {
	what.Timeout, what.Stop = maxOne, nil
	return enter(what, c)
}

// Err returns a *CompilationError once the expressions have used up their time, else nil.
func (c *Compilation) Err(noun string) error {
	if time.Duration(c.used.Load()) > maxAll {
		return &CompilationError{Noun: noun}
	}
	return nil
}
