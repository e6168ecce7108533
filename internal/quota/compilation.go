// Package quota holds a run to what it may do: the work of compiling its expressions, and what its
// operations make of the objects.
//
// Work is counted, not timed, so that the same input ends in the same way on every machine.
package quota

import (
	"fmt"
	"sync/atomic"
)

// CompilationUnits is the work that all expressions of one run may take to be compiled. A unit
// takes some 200 ns and leaves at most 10 bytes behind, so that they come to some 5 s and 200 MB.
const CompilationUnits = 20_000_000

// Compilation is what is left of that work. It is safe for use by several goroutines; the zero
// value has all of it.
type Compilation struct{ used atomic.Int64 }

// Spend takes units off. The error is a *CompilationError: there are not as many left. It must be
// called before the work is done.
func (c *Compilation) Spend(units int64) error {
	if units > CompilationUnits || c.used.Add(units) > CompilationUnits {
		return &CompilationError{}
	}
	return nil
}

// CompilationError says that the expressions of a run take too much work.
type CompilationError struct{}

func (e *CompilationError) Error() string {
	return fmt.Sprintf("the expressions of a run must take at most %d steps to compile, found more; "+
		"write fewer or shorter ones, with fewer lists and maps in one another", CompilationUnits)
}
