package dialect

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// SyntaxError is an expression that its dialect refuses.
type SyntaxError = hint.SyntaxError

// RuntimeError is an expression that failed on one object.
type RuntimeError = hint.RuntimeError

// TranslateError reports an expression that can't be written in another dialect.
type TranslateError struct {
	Dialect Names
	// Into is the noun of the other dialect.
	Into       string
	Expression string
	Cause      string
}

func (e *TranslateError) Error() string {
	return fmt.Sprintf("the %s '%s' can't be written as a %s: %s", e.Dialect.Noun, e.Expression, e.Into, e.Cause)
}

// SegmentsOf returns the segments of a JSON Pointer, and nil for what Translate gives else.
func SegmentsOf(into, translated string, err error) []string {
	if err != nil || into != JSONPointer.Name {
		return nil
	}
	return location.PointerSegments(translated)
}
