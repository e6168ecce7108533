package printable

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Hunk is a range of lines that change, with those around them that stay.
type Hunk struct {
	// From and To are the first line, from 1, in the text before and in the one after, and
	// FromCount and ToCount are how many lines there are.
	From, FromCount, To, ToCount int
	// Lines are the lines with their line breaks, each behind its sign: "-", "+" or a space.
	Lines []string
}

// contextLines is how many lines are shown around those that change.
const contextLines = 3

// CompareLines returns the lines that differ, with three lines around them.
func CompareLines(before, after string) (hunks []Hunk) {
	lines, at, offset, grown := splitLines(before), 0, 0, 0
	var h *Hunk
	end := func() {
		if h != nil {
			h.add(" ", lines[at:min(at+contextLines, len(lines))])
			hunks, grown = append(hunks, *h), grown+h.ToCount-h.FromCount
		}
	}
	for _, e := range edits(before, after) {
		start := at + strings.Count(before[offset:e.Start], "\n")
		if h == nil || start > at+2*contextLines {
			end()
			at = max(start-contextLines, 0)
			h = &Hunk{From: at + 1, To: at + 1 + grown}
		}
		gone := splitLines(before[e.Start:e.End])
		h.add(" ", lines[at:start])
		h.add("-", gone)
		h.add("+", splitLines(e.New))
		at, offset = start+len(gone), e.End
	}
	end()
	return hunks
}

// add adds lines, whose sign says which of the texts have them.
func (h *Hunk) add(sign string, lines []string) {
	for _, line := range lines {
		h.Lines = append(h.Lines, sign+line)
	}
	if sign != "+" {
		h.FromCount += len(lines)
	}
	if sign != "-" {
		h.ToCount += len(lines)
	}
}

func splitLines(text string) []string { return slices.Collect(strings.Lines(text)) }

// window is how many lines of each text are compared at once, at first: with all of them at once
// the time would grow with the square of the lines that change.
const window = 1000

// edits are those of lines, of texts of any length: of each window it takes those that begin in its
// first half, since where it ends it may tear apart what belongs together.
func edits(before, after string) (all []udiff.Edit) {
	at, now, size := 0, 0, window // the places in both texts
	for {
		old, changed := firstLines(before[at:], size), firstLines(after[now:], size)
		isAll := at+len(old) == len(before) && now+len(changed) == len(after)
		taken, sure := 0, len(firstLines(old, size/2))
		for _, e := range wholly(old, changed) {
			if !isAll && (e.Start >= sure || e.End >= len(old)) {
				sure = min(sure, e.Start)
				break
			}
			taken += len(e.New) - (e.End - e.Start)
			sure = max(sure, e.End)
			e.Start, e.End = e.Start+at, e.End+at
			all = append(all, e)
		}
		switch {
		case isAll:
			return all
		case sure == 0: // one edit is longer than the window
			size *= 2
		default:
			at, now, size = at+sure, now+sure+taken, window
		}
	}
}

// firstLines returns the first count lines of a text.
func firstLines(text string, count int) string {
	end := 0
	for range count {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return text
		}
		end += i + 1
	}
	return text[:end]
}

// wholly compares what udiff, which gives up after a hundred edits, has left as one, until there is
// nothing to tell apart in it.
func wholly(before, after string) []udiff.Edit {
	var all []udiff.Edit
	for _, e := range udiff.Lines(before, after) {
		isWhole := e.Start == 0 && e.End == len(before) && e.New == after
		if e.Start == e.End || e.New == "" || isWhole {
			all = append(all, e)
			continue
		}
		for _, inner := range wholly(before[e.Start:e.End], e.New) {
			inner.Start, inner.End = inner.Start+e.Start, inner.End+e.Start
			all = append(all, inner)
		}
	}
	return all
}
