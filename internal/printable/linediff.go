package printable

import "github.com/aymanbagabas/go-udiff"

// Hunk is a range of lines that change, with those around them that stay.
type Hunk struct {
	// From and To are the first line, from 1, in the text before and in the one after, and
	// FromCount and ToCount are how many lines there are.
	From, FromCount, To, ToCount int
	// Lines are the lines with their line breaks, each behind its sign: "-", "+" or a space.
	Lines []string
}

var signs = map[udiff.OpKind]string{udiff.Delete: "-", udiff.Insert: "+", udiff.Equal: " "}

// CompareLines returns the lines that differ, with three lines around them.
func CompareLines(before, after string) []Hunk {
	diff, err := udiff.ToUnifiedDiff("", "", before, edits(before, after), udiff.DefaultContextLines)
	if err != nil {
		panic(err) // the edits are in order
	}
	hunks, grown := make([]Hunk, len(diff.Hunks)), 0
	for i, h := range diff.Hunks {
		hunk := Hunk{From: h.FromLine, To: h.FromLine + grown}
		for _, line := range h.Lines {
			if line.Kind != udiff.Insert {
				hunk.FromCount++
			}
			if line.Kind != udiff.Delete {
				hunk.ToCount++
			}
			hunk.Lines = append(hunk.Lines, signs[line.Kind]+line.Content)
		}
		grown += hunk.ToCount - hunk.FromCount
		hunks[i] = hunk
	}
	return hunks
}

// edits compares what udiff, which gives up after a hundred edits, has left as one, until there is
// nothing to tell apart in it.
func edits(before, after string) []udiff.Edit {
	var all []udiff.Edit
	for _, e := range udiff.Lines(before, after) {
		isWhole := e.Start == 0 && e.End == len(before) && e.New == after
		if e.Start == e.End || e.New == "" || isWhole {
			all = append(all, e)
			continue
		}
		for _, inner := range edits(before[e.Start:e.End], e.New) {
			inner.Start, inner.End = inner.Start+e.Start, inner.End+e.Start
			all = append(all, inner)
		}
	}
	return all
}
