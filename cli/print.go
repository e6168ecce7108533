package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/krm-fields/krm-fields/internal/author/findings"
	"github.com/krm-fields/krm-fields/internal/krm/report"
)

// printResults writes the results for a person to read, one a line, in colour on a terminal.
func printResults(out io.Writer, results []report.Result) {
	printColoured(out, results, hasColour(out))
}

func printColoured(out io.Writer, results []report.Result, colour bool) {
	_ = findings.Writers[0].Write(out, findings.Results{All: results, Coloured: colour}) // what can't be written to stderr can't be told
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
