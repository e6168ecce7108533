// Package fault has the errors of expressions: what does not compile, and what failed on an object.
package fault

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/words"
)

// SyntaxError is an expression, a path or a template that can't be compiled, which is known before
// any object is read.
type SyntaxError struct {
	// Noun names what the expression is: JSON Pointer. Without it, the message does not repeat the
	// expression.
	Noun string
	// Expression is as written; its beginning where it is too long.
	Expression string
	// Shown is how many characters of it a message has; 0 for all.
	Shown int
	// Line and Column say where, from 1; Column counts characters. Both are 0 if the place is not
	// known or the whole expression is at fault.
	Line, Column int
	// Reason says what was expected and what was found, without the position.
	Reason string
	// Fix is what to write instead, or "" where that can't be known.
	Fix string
}

func (e *SyntaxError) Error() string {
	message, place, expression := "", fmt.Sprintf("line %d, column %d", e.Line, e.Column), e.Expression
	if e.Shown > 0 {
		expression = words.Shorten(expression, e.Shown)
	}
	switch {
	case e.Noun != "" && e.Line > 0:
		message = fmt.Sprintf("invalid %s '%s' (%s): ", e.Noun, expression, place)
	case e.Noun != "":
		message = fmt.Sprintf("invalid %s '%s': ", e.Noun, expression)
	case e.Line > 0:
		message = place + ": "
	}
	message += e.Reason
	if e.Fix != "" {
		message += "; " + e.Fix
	}
	return message
}

// Caret returns the line of the expression that is at fault with a caret below the place, or ""
// where the place is not known.
func (e *SyntaxError) Caret() string {
	lines := strings.Split(e.Expression, "\n")
	if e.Line < 1 || e.Line > len(lines) || e.Column < 1 {
		return ""
	}
	content := []rune(lines[e.Line-1])
	before := content[:min(e.Column-1, len(content))]
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(before))
	return string(content) + "\n" + pad + "^"
}

// RuntimeError is an expression that failed on one object. Its messages have a form that operators
// know.
type RuntimeError struct {
	// Failure begins the message: `JSON Pointer error`.
	Failure    string
	Expression string
	// Cause says why. Values of the object appear in it only where a jq expression raises them.
	Cause string
	// Quotes is the part of the expression that Cause quotes; "" for none.
	Quotes string
	// Fix is the part of the expression as it should be written, "" where that is not known.
	Fix string
	// SafeCause is Cause without values of the object, or "" if Cause has none.
	SafeCause string
	// KeylessCause is Cause without keys of the object, or "" where Cause has none.
	KeylessCause string
}

func (e *RuntimeError) Error() string { return e.Show(words.Open{}, false) }

// Show implements redact.ComposedError.
func (e *RuntimeError) Show(mask words.Mask, hasSecret bool) string {
	cause := e.Cause
	switch {
	case hasSecret && e.SafeCause != "":
		cause = e.SafeCause
	case e.SafeCause != "":
		cause = mask.Text(cause)
	}
	fix := ""
	if e.Fix != "" {
		fix = "; write " + mask.Expression(e.Fix)
	}
	cause = words.WithQuoted(mask, cause, words.Quote{Part: e.Quotes, Expression: e.Expression})
	return fmt.Sprintf("%s in '%s': %s", e.Failure, mask.Expression(e.Expression), cause+fix)
}

// Position returns the line and the column, both from 1, of the byte at an offset; the column
// counts characters.
func Position(text string, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}
