package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A line is one contestant at one work.
type line struct {
	work    string
	name    string
	objects int
	cost    run
	verdict []string // comparisons with a peer or a limit
	missed  bool     // whether a target is missed
}

func newLine(work string, c contestant, cost run) line {
	return line{work: work, name: c.name, objects: c.objects, cost: cost}
}

// perObject returns the time per object in seconds.
func (l line) perObject() float64 {
	return l.cost.wall.Seconds() / float64(l.objects)
}

// comparePeer says how many times the peer takes what krm-fields takes. A target of 0 is none.
func (l *line) comparePeer(own line, wallTarget, memoryTarget float64) {
	l.judge("time per object %.1f x", l.perObject()/own.perObject(), wallTarget)
	l.judge("memory %.1f x", float64(l.cost.rss)/float64(own.cost.rss), memoryTarget)
}

func (l *line) judge(format string, ratio, target float64) {
	text := fmt.Sprintf(format, ratio)
	if target != 0 {
		text += fmt.Sprintf(" (target %g x)", target)
		l.missed = l.missed || ratio < target
	}
	l.verdict = append(l.verdict, text)
}

// compareScale says how the time per object has grown since the shortest list, and how much memory
// there may be.
func (l *line) compareScale(shortest line, growthLimit float64, memoryLimit int64) {
	growth := l.perObject() / shortest.perObject()
	l.verdict = []string{
		fmt.Sprintf("time per object %.2f x (limit %.2f x)", growth, growthLimit),
		fmt.Sprintf("memory limit %s", mebibytes(memoryLimit)),
	}
	l.missed = growth > growthLimit || l.cost.rss > memoryLimit
}

// compareStart says what starting costs over a process that does nothing.
func (l *line) compareStart(trivial line, timeLimit time.Duration, size, sizeLimit int64) {
	over := l.cost.wall - trivial.cost.wall
	l.verdict = []string{
		fmt.Sprintf("%s over the trivial binary (limit %s)", milliseconds(over), milliseconds(timeLimit)),
		fmt.Sprintf("binary of %s (limit %s)", mebibytes(size), mebibytes(sizeLimit)),
	}
	l.missed = over > timeLimit || size > sizeLimit
}

// printTable writes the lines as a Markdown table.
func printTable(w io.Writer, lines []line) {
	fmt.Fprintln(w, "| work | program | objects | time | memory | against krm-fields, or the limit | |")
	fmt.Fprintln(w, "| --- | --- | ---: | ---: | ---: | --- | --- |")
	for _, l := range lines {
		mark := "ok"
		switch {
		case l.missed:
			mark = "missed"
		case len(l.verdict) == 0:
			mark = ""
		}
		fmt.Fprintf(w, "| %s | %s | %d | %s | %s | %s | %s |\n", l.work, l.name, l.objects,
			milliseconds(l.cost.wall), mebibytes(l.cost.rss), strings.Join(l.verdict, ", "), mark)
	}
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func mebibytes(n int64) string {
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
