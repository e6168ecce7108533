package config

import (
	"fmt"
	"time"
)

// TextError reports a text that is no value of its type.
type TextError struct {
	// Must says what the text must be: `a duration such as 500ms or 1s`.
	Must string
	// Text is what was found.
	Text string
	// Fix is what may have been meant, or "".
	Fix string
}

func (e *TextError) Error() string {
	message := fmt.Sprintf("must be %s, found %s", e.Must, Quote(e.Text))
	if e.Fix != "" {
		message += fmt.Sprintf("; did you mean %q?", e.Fix)
	}
	return message
}

// Duration is a time span longer than zero, in the notation of time.ParseDuration: 500ms, 1s,
// 1m30s.
type Duration struct {
	time.Duration
}

// UnmarshalText sets d from text. Errors are *TextError.
func (d *Duration) UnmarshalText(text []byte) error {
	span, err := time.ParseDuration(string(text))
	if err != nil {
		refusal := &TextError{Must: "a duration such as 500ms or 1s", Text: string(text)}
		if seconds, err := time.ParseDuration(string(text) + "s"); err == nil && seconds > 0 {
			refusal.Fix = string(text) + "s"
		}
		return refusal
	}
	if span <= 0 {
		return &TextError{Must: "a duration longer than zero", Text: string(text)}
	}
	d.Duration = span
	return nil
}
