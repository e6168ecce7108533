package report

import (
	"strings"
	"unicode"
)

// Line returns the result as one line of text for stderr, without the line
// break: the severity, the message, and in parentheses the object and its file
// where they are known and the message does not name them. Line breaks and other control characters come out as
// spaces, so that no value can start a line of its own or steer a terminal.
func (r Result) Line() string {
	line := r.Severity + ": " + r.Message
	if r.Severity == "" {
		line = r.Message
	}
	var about []string
	for _, part := range []string{r.Ref.String(), r.File.String()} {
		if part != "" && !strings.Contains(r.Message, part) {
			about = append(about, part)
		}
	}
	if len(about) > 0 {
		line += " (" + strings.Join(about, ", ") + ")"
	}
	return strings.Map(spaceForControl, line)
}

func spaceForControl(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
		return ' '
	}
	return r
}
