package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A line is one contestant at one work.
type line struct {
	work       string
	contestant contestant
	cost       run
	findings   []finding
}

// mark says whether the targets of the line are met; "" if it has none.
func (l line) mark() string {
	mark := ""
	for _, f := range l.findings {
		switch {
		case f.judged && !f.met:
			return "missed"
		case f.judged:
			mark = "ok"
		}
	}
	return mark
}

func (l line) texts() string {
	texts := make([]string, len(l.findings))
	for i, f := range l.findings {
		texts[i] = f.text
	}
	return strings.Join(texts, ", ")
}

// printTable writes the lines as a Markdown table.
func printTable(w io.Writer, lines []line) {
	fmt.Fprintln(w, "| work | program | objects | time | CPU | memory | against krm-fields, or the limit | |")
	fmt.Fprintln(w, "| --- | --- | ---: | ---: | ---: | ---: | --- | --- |")
	for _, l := range lines {
		fmt.Fprintf(w, "| %s | %s | %d | %s | %s | %s | %s | %s |\n", l.work, l.contestant.name, l.contestant.objects,
			milliseconds(l.cost.wall), milliseconds(l.cost.cpu), mebibytes(l.cost.rss), l.texts(), l.mark())
	}
}

// printTargets says which targets are missed, and how many are met.
func printTargets(w io.Writer, lines []line) {
	targets, met := 0, 0
	var missed []string
	for _, l := range lines {
		for _, f := range l.findings {
			switch {
			case f.judged && f.met:
				targets++
				met++
			case f.judged:
				targets++
				missed = append(missed, fmt.Sprintf("- %s, %s: %s", l.work, l.contestant.name, f.text))
			}
		}
	}
	fmt.Fprintf(w, "\nTargets: %d, met: %d, missed: %d.\n", targets, met, len(missed))
	if len(missed) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(missed, "\n"))
	}
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func mebibytes(n int64) string {
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
