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

// Quote is what a text of ours quotes of an expression, a name or a part of it; "" for nothing.
type Quote struct{ Part, Expression string }

// WithQuoted returns a text of ours in which what it quotes is hidden where the mask hides it in
// the expression, too. A name that the expression has without quotes stays.
func WithQuoted(mask Mask, text string, quote Quote) string {
	shown := mask.Expression(quote.Expression)
	for _, part := range []string{quote.Part, "'" + strings.Trim(quote.Part, `"`) + "'"} {
		if strings.Contains(quote.Expression, part) && !strings.Contains(shown, part) {
			return mask.Own(strings.Replace(text, quote.Part, mask.Expression(quote.Part), 1))
		}
	}
	return mask.Own(text)
}

// Open hides nothing.
type Open struct{}

// Text implements Mask.
func (Open) Text(text string) string { return text }

// Expression implements Mask.
func (Open) Expression(text string) string { return text }

// Own implements Mask.
func (Open) Own(text string) string { return text }
