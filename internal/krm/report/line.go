package report

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/printable"
)

// Line returns the result as one line of text for stderr, without the line break: the severity, the
// message, in parentheses the object and its file if they are known and not in the message, and in
// brackets the reason, as printable.Line writes it.
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
	if reason := r.Tags["reason"]; reason != "" {
		line += " [" + reason + "]"
	}
	return printable.Line(line)
}

// DetailLines returns the lines of the detail without their line breaks, each as printable.Source
// writes it.
func (r Result) DetailLines() []string {
	var lines []string
	for line := range strings.Lines(r.Detail) {
		lines = append(lines, printable.Source(strings.TrimRight(line, "\n")))
	}
	return lines
}
