package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/krm-fields/krm-fields/internal/krm/report"
)

// colours of the severities (ECMA-48, select graphic rendition).
var colours = map[string]string{
	report.SeverityError:   "\x1b[31m",
	report.SeverityWarning: "\x1b[33m",
	report.SeverityInfo:    "\x1b[36m",
}

const resetColour = "\x1b[0m"

// printResults writes the results for a person to read, one a line, in colour on a terminal.
func printResults(out io.Writer, results []report.Result) {
	printColoured(out, results, hasColour(out))
}

func printColoured(out io.Writer, results []report.Result, colour bool) {
	for _, result := range results {
		line := result.Line()
		if rest, ok := strings.CutPrefix(line, result.Severity); ok && colour {
			line = colours[result.Severity] + result.Severity + resetColour + rest
		}
		fmt.Fprintln(out, line)
		for _, detail := range result.DetailLines() {
			fmt.Fprintln(out, "    "+detail)
		}
	}
}

// hasColour tells whether a stream is a terminal and the user has not turned colour off
// (https://no-color.org).
func hasColour(stream io.Writer) bool {
	return isTerminal(stream) && os.Getenv("NO_COLOR") == ""
}

// showProgress prints on a terminal, each second, what a run processes and how long it has taken,
// until the returned function is called.
func showProgress(out io.Writer, of string) (stop func()) {
	if !isTerminal(out) {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for seconds := 1; ; seconds++ {
			select {
			case <-done:
				if seconds > 1 {
					fmt.Fprint(out, "\r\x1b[K")
				}
				return
			case <-ticker.C:
				fmt.Fprintf(out, "\rworking on %s, %d s", of, seconds)
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}
