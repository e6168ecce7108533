// Package guard bounds the time and the memory of what runs expressions.
//
// Whatever runs one calls Enter first and Leave last. In a program that has called Start, a
// goroutine with a processor of its own looks every 2 ms at what is under way and at the memory of
// the process; what is past a limit ends the process, since neither gojq nor cel-go can be stopped
// inside a step. In any other program only the graceful way is there: the Work is a context, which
// the library asks between its steps.
package guard

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/krm-fields/krm-fields/internal/krm/report"
)

// DefaultMemory is how many bytes something may add to the process where nothing else is set.
const DefaultMemory = 256 << 20

// What is an expression or an operation, with its limits.
type What struct {
	// Noun is its kind in messages, and Text its source.
	Noun, Text string
	// Timeout is the time that it may take, and Memory how many bytes it may add to the process.
	Timeout time.Duration
	Memory  int64
	// Stop ends it with its error; nil for nothing that does.
	Stop context.Context
	// HasParts is true of what runs other works, which are to blame for memory first.
	HasParts bool
	// Reporter says where it is and of which object; nil if that is not known.
	Reporter Reporter
}

// Reporter makes the result of a run that an error ends. While it does, the work is under way
// still.
type Reporter interface {
	Report(err error) report.Result
}

// ReporterFunc is a Reporter that is a function.
type ReporterFunc func(err error) report.Result

// Report implements Reporter.
func (f ReporterFunc) Report(err error) report.Result { return f(err) }

// Spender is a Reporter that says how much of the time of a work is spent before it begins.
type Spender interface{ Spent() time.Duration }

// Work is something under way. It is the context for the library that runs it, and asked by one
// goroutine.
type Work struct {
	What
	context.Context
	start time.Time
	// base is the memory that was in use before.
	base uint64
	// compilation is nil for an evaluation.
	compilation *Compilation
	steps       int
	// read is when the memory was read last.
	read time.Time
	err  error
}

const (
	// stepsPerLook is how many times Done is asked between two looks at the clock.
	stepsPerLook = 16
	// readInterval is how long there is between two looks at the memory, which take longer.
	readInterval = 200 * time.Microsecond
)

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Enter begins an evaluation.
func Enter(what What) *Work { return enter(what, nil) }

func enter(what What, compilation *Compilation) *Work {
	w := &Work{What: what, Context: context.Background(), start: time.Now(), compilation: compilation}
	if spender, ok := what.Reporter.(Spender); ok {
		w.start = w.start.Add(-spender.Spent())
	}
	if running := watching.Load(); running != nil {
		w.base = running.memory.Load()
		running.add(w)
	} else {
		w.base = memoryInUse()
	}
	return w
}

// Leave ends it.
func (w *Work) Leave() {
	if w.compilation != nil {
		w.compilation.used.Add(int64(time.Since(w.start)))
	}
	if running := watching.Load(); running != nil {
		running.remove(w)
	}
}

// Done counts a step. It implements context.Context.
func (w *Work) Done() <-chan struct{} {
	w.steps++
	if w.err == nil && w.steps%stepsPerLook != 0 {
		return nil
	}
	now := time.Now()
	if w.look(now, now.Sub(w.read) > readInterval) == nil {
		return nil
	}
	return closed
}

// Err returns the *LimitError of the limit that was passed, or the error of Stop.
func (w *Work) Err() error { return w.err }

// Check looks at the limits, and returns Err. What took no time has taken no memory worth a look.
func (w *Work) Check() error {
	now := time.Now()
	return w.look(now, now.Sub(w.start) > readInterval)
}

func (w *Work) look(now time.Time, readsMemory bool) error {
	switch {
	case w.err != nil:
	case w.Stop != nil && w.Stop.Err() != nil:
		w.err = w.Stop.Err()
	case now.Sub(w.start) > w.Timeout:
		w.err = w.timedOut()
	case readsMemory && !w.fits(now):
		w.err = w.outOfMemory()
	}
	return w.err
}

// fits tells whether the live memory is within the limit.
func (w *Work) fits(now time.Time) bool {
	most := w.base + uint64(w.Memory)
	if w.read = now; memoryInUse() <= most {
		return true
	}
	runtime.GC()
	return memoryInUse() <= most
}

// Exceeded returns the *LimitError of a result that is too large, whatever it takes at the moment.
func (w *Work) Exceeded() error {
	w.err = w.outOfMemory()
	return w.err
}

// report returns the result of a run that the error ends.
func (w *Work) report(err error) (result report.Result) {
	result = report.New(report.SeverityError, report.ReasonRunError, err.Error())
	if w.Reporter == nil {
		return result
	}
	defer func() { _ = recover() }() // the plain result is better than none
	return w.Reporter.Report(err)
}

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
