package words

import "strings"

// Mask hides in the parts of a message what must not be shown.
type Mask interface {
	// Text is for what others have written: a library, or data.
	Text(text string) string
	// Expression is for an expression, or a path as it is written.
	Expression(text string) string
	// Own is for our own words, with names of fields.
	Own(text string) string
}

// WithQuoted returns a text of ours as a mask shows what it quotes of an expression.
func WithQuoted(mask Mask, text, quoted string) string {
	return mask.Own(strings.Replace(text, quoted, mask.Expression(quoted), 1))
}

// Open hides nothing.
type Open struct{}

// Text implements Mask.
func (Open) Text(text string) string { return text }

// Expression implements Mask.
func (Open) Expression(text string) string { return text }

// Own implements Mask.
func (Open) Own(text string) string { return text }
