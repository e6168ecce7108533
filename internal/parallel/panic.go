package parallel

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// PanicError is a panic, which is always a bug of this program. It does not hold the value of the
// panic, which may quote data of a manifest.
type PanicError struct {
	// Reason is the text of an error of the Go runtime, or the type of any other value.
	Reason string
	// Function is where it happened, with its package; File is that file's name without folders.
	Function, File string
	Line           int
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("krm-fields has a bug: %s in %s (%s:%d); "+
		"please report it at https://github.com/krm-fields/krm-fields/issues", e.Reason, e.Function, e.File, e.Line)
}

// Recovered returns the error for what recover returned, which must not be nil. It must be called
// by the deferred function itself. A *PanicError that was raised again stays what it is.
func Recovered(value any) *PanicError {
	if e, ok := value.(*PanicError); ok {
		return e
	}
	e := &PanicError{Reason: reason(value)}
	at := origin()
	e.Function, e.File, e.Line = path.Base(at.Function), path.Base(at.File), at.Line
	return e
}

func reason(value any) string {
	if err, ok := value.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("a panic (%T)", value)
}

// origin is the innermost function outside the Go runtime below the panic.
func origin() runtime.Frame {
	const recovered = 4 // runtime.Callers, origin, Recovered and the deferred function
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(recovered, callers)])
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") || !more {
			return frame
		}
	}
}
