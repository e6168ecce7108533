package words

import "fmt"

// Errorf returns an error in our own words, which quotes names, paths and metadata alone: a mask
// searches it for no short value of a Secret. The verbs are those of fmt.Errorf but %w.
func Errorf(format string, args ...any) error { return ownError(fmt.Sprintf(format, args...)) }

// ownError implements redact.ComposedError.
type ownError string

func (e ownError) Error() string          { return string(e) }
func (e ownError) Show(Mask, bool) string { return string(e) }
