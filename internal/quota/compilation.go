// Package quota limits what a run may do: the work of compiling its expressions, and what its
// operations add to the objects.
//
// Work is counted, not timed, so that the same input ends in the same way on every machine.
package quota

import (
	"fmt"
	"sync/atomic"
)

// CompilationUnits is the work that compiling all expressions of one run may take. A unit takes
// some 200 ns and allocates at most 10 bytes that stay, which makes some 5 s and 200 MB in total.
const CompilationUnits = 20_000_000

// Compilation is the rest of that work. It is safe for concurrent use; the zero value has spent
// nothing.
type Compilation struct{ used atomic.Int64 }

// Spend subtracts units. The error is a *CompilationError: fewer units are left. It must be called
// before the work is done.
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
		"write fewer or shorter ones, with less nesting of lists and maps", CompilationUnits)
}
