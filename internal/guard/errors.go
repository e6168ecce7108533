package guard

import (
	"errors"
	"fmt"
	"time"

	"github.com/krm-fields/krm-fields/internal/quantity"
)

// TimeoutError reports something that took longer than Limit. Messages of it and of a MemoryError
// have forms that operators know.
type TimeoutError struct {
	Noun, Text string
	Limit      time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s timed out after %s: '%s'", e.Noun, e.Limit, e.Text)
}

// MemoryError reports something that took more than Limit bytes of memory.
type MemoryError struct {
	Noun, Text string
	Limit      int64
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%s exceeded %s of memory: '%s'", e.Noun, quantity.Bytes(e.Limit), e.Text)
}

// CompilationError reports an expression that takes longer than Limit to compile, or all of a run
// that do.
type CompilationError struct {
	// Text is "" where it is all of a run.
	Noun, Text string
	Limit      time.Duration
}

func (e *CompilationError) Error() string {
	if e.Text != "" {
		return fmt.Sprintf("%s took more than %s to compile: '%s'", e.Noun, e.Limit, e.Text)
	}
	return fmt.Sprintf("the %ss of a run must take at most %s to compile, all together; use fewer or shorter ones; "+
		"equal ones count once", e.Noun, e.Limit)
}

// IsLimit tells whether an error is that of a limit, which ends the run.
func IsLimit(err error) bool {
	_, isTimeout := errors.AsType[*TimeoutError](err)
	_, isMemory := errors.AsType[*MemoryError](err)
	_, isCompilation := errors.AsType[*CompilationError](err)
	return isTimeout || isMemory || isCompilation
}
