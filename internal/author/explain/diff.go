package explain

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// diff is how a text changes.
type diff struct {
	hunks []printable.Hunk
	// line is the line of the file at which the text begins.
	line int
	// isNew is true where there was no text.
	isNew bool
}

// compare compares two texts, the first of which begins at a line of its file.
func compare(before, after []byte, line int) diff {
	return diff{hunks: printable.CompareLines(string(before), string(after)), line: line, isNew: len(before) == 0}
}

// text writes the diff in the unified format, or "" where nothing changes. The file has grown by
// shift lines above the text.
func (d diff) text(file, object string, shift int) string {
	if len(d.hunks) == 0 {
		return ""
	}
	var out strings.Builder
	from, to := file, file
	if d.isNew {
		from, shift = "/dev/null", 0
	}
	if to == "" {
		to = object
	}
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", printable.Text(from), printable.Text(to))
	for _, hunk := range d.hunks {
		fmt.Fprintf(&out, "@@ -%s +%s @@ %s\n", lineRange(d.line-1+hunk.From, hunk.FromCount), lineRange(d.line-1+shift+hunk.To, hunk.ToCount),
			printable.Text(object))
		for _, line := range hunk.Lines {
			out.WriteString(line)
			if !strings.HasSuffix(line, "\n") {
				out.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	return out.String()
}

// lineRange is a range of lines as a hunk names it: its first line and its length. An empty one has
// the line before it.
func lineRange(first, count int) string {
	if count == 0 {
		first--
	}
	return fmt.Sprintf("%d,%d", first, count)
}

// DiffWriter writes how objects change as a unified diff, in colour if asked. The values of Secrets
// are masked.
type DiffWriter struct {
	Out      io.Writer
	Coloured bool
	// file is the last one so far, and shift how many lines the diffs of each have added.
	file  string
	shift map[string]int
}

// Write writes how objects change in a run that items go into and out comes out of.
func (d *DiffWriter) Write(items, out []*object.Object) error {
	if d.shift == nil {
		d.shift = map[string]int{}
	}
	changes, err := changesOf(Run{Items: items, Out: out, Trace: &ignorefields.Trace{}}, d.shift)
	if err != nil {
		return err
	}
	text := textWriter{out: bufio.NewWriterSize(d.Out, 1<<16), coloured: d.Coloured}
	d.file = text.diffs(changes, d.file)
	return text.out.Flush()
}

// WriteDiff writes how the objects change, as a DiffWriter does.
func (e *Explanation) WriteDiff(w io.Writer) error {
	text := textWriter{out: bufio.NewWriter(w)}
	text.diffs(e.Changes, "")
	return text.out.Flush()
}
