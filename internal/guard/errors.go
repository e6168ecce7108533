package guard

import (
	"errors"
	"fmt"

	"github.com/krm-fields/krm-fields/internal/words"
)

// LimitError reports something that was stopped at one of its limits, which ends the run. Its
// messages have forms that operators know.
type LimitError struct {
	// Noun and Text are those of What, and Reason is what it has passed: `timed out after 1s`.
	Noun, Text, Reason string
}

func (e *LimitError) Error() string { return e.Show(words.Open{}, false) }

// Show implements redact.ComposedError.
func (e *LimitError) Show(mask words.Mask, _ bool) string {
	return fmt.Sprintf("%s %s: '%s'", e.Noun, e.Reason, mask.Expression(words.Shorten(e.Text, maxText)))
}

// maxText is how many characters of an expression are in a message.
const maxText = 300

// IsLimit tells whether an error is that of a limit, which ends the run.
func IsLimit(err error) bool {
	_, isLimit := errors.AsType[*LimitError](err)
	_, isCompilation := errors.AsType[*CompilationError](err)
	return isLimit || isCompilation
}

// CompilationError reports that the expressions of a run take too long to compile, all together.
type CompilationError struct{ Noun string }

func (e *CompilationError) Error() string {
	return fmt.Sprintf("the %ss of a run must take at most %s to compile, all together; use fewer or shorter ones; "+
		"equal ones count once", e.Noun, maxAll)
}

// Show implements redact.ComposedError.
func (e *CompilationError) Show(words.Mask, bool) string { return e.Error() }

func (w *What) stopped(format string, limit any) *LimitError {
	return &LimitError{Noun: w.Noun, Text: w.Text, Reason: fmt.Sprintf(format, limit)}
}

func (w *Work) timedOut() error {
	format := "timed out after %s"
	if w.compilation != nil {
		format = "took more than %s to compile"
	}
	return w.stopped(format, w.Timeout)
}

func (w *Work) outOfMemory() error {
	return w.stopped("exceeded %s of memory", words.Bytes(w.Memory))
}
