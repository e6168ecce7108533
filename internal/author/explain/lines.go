package explain

import (
	"fmt"
	"io"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
)

var text = Writer{Name: "text", Doc: "one line each, for people", Write: writeText}

func writeText(out io.Writer, results Results) error {
	for _, result := range results.All {
		line := result.Line()
		if rest, ok := strings.CutPrefix(line, result.Severity); ok {
			line = report.Colours[result.Severity].Of(result.Severity, results.Coloured) + rest
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
