package findings

import (
	"fmt"
	"io"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
)

var text = Writer{Name: "text", Doc: "one line each, for people", Write: writeText}

// colours of the severities (ECMA-48, select graphic rendition).
var colours = map[string]string{
	report.SeverityError:   "\x1b[31m",
	report.SeverityWarning: "\x1b[33m",
	report.SeverityInfo:    "\x1b[36m",
}

const resetColour = "\x1b[0m"

func writeText(out io.Writer, results Results) error {
	for _, result := range results.All {
		line := result.Line()
		if rest, ok := strings.CutPrefix(line, result.Severity); ok && results.Coloured {
			line = colours[result.Severity] + result.Severity + resetColour + rest
		}
		if results.Program != "" && result.Severity == report.SeverityWarning {
			line = results.Program + ": " + line
		}
		for _, detail := range result.DetailLines() {
			line += "\n    " + detail
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}
