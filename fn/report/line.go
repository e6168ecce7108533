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

// DetailLines returns the lines of the detail without their line breaks. Tabs
// stay, all other control characters come out as spaces.
func (r Result) DetailLines() []string {
	var lines []string
	for line := range strings.Lines(r.Detail) {
		lines = append(lines, strings.Map(func(c rune) rune {
			if c == '\t' {
				return c
			}
			return spaceForControl(c)
		}, strings.TrimRight(line, "\n")))
	}
	return lines
}

func spaceForControl(r rune) rune {
	if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
		return ' '
	}
	return r
}
