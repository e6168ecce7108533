package explain

import (
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/printable"
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
