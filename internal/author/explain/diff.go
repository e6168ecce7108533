package explain

import (
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/krm-fields/krm-fields/internal/printable"
)

// context is how many lines that stay are shown around those that change.
const context = 3

// diff is how a text changes.
type diff struct {
	// before and after are the lines.
	before, after []string
	hunks         [][]difflib.OpCode
	// line is the line of the file at which the text begins.
	line int
}

// compare compares two texts, the first of which begins at a line of its file.
func compare(before, after []byte, line int) diff {
	a, b := splitLines(before), splitLines(after)
	return diff{before: a, after: b, line: line, hunks: hunksOf(a, b)}
}

// splitLines returns the lines of a text, each with its line break.
func splitLines(text []byte) []string {
	lines := strings.SplitAfter(string(text), "\n")
	if last := len(lines) - 1; lines[last] == "" {
		return lines[:last]
	}
	return lines
}

// hunksOf returns the changes with their context. The lines that are the same at both ends need no
// comparing beyond it.
func hunksOf(a, b []string) [][]difflib.OpCode {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	start, end = max(start-context, 0), max(end-context, 0)
	groups := difflib.NewMatcher(a[start:len(a)-end], b[start:len(b)-end]).GetGroupedOpCodes(context)
	for _, group := range groups {
		for i := range group {
			group[i].I1, group[i].I2 = group[i].I1+start, group[i].I2+start
			group[i].J1, group[i].J2 = group[i].J1+start, group[i].J2+start
		}
	}
	return groups
}

// added is how many lines the text grows by.
func (d diff) added() int { return len(d.after) - len(d.before) }

// text writes the diff in the unified format, or "" where nothing changes. The file has grown by
// shift lines above the text.
func (d diff) text(file, object string, shift int) string {
	if len(d.hunks) == 0 {
		return ""
	}
	var out strings.Builder
	from, to := file, file
	if len(d.before) == 0 {
		from, shift = "/dev/null", 0
	}
	if to == "" {
		to = object
	}
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", printable.Text(from), printable.Text(to))
	for _, hunk := range d.hunks {
		first, last := hunk[0], hunk[len(hunk)-1]
		fmt.Fprintf(&out, "@@ -%s +%s @@ %s\n", lineRange(d.line, first.I1, last.I2), lineRange(d.line+shift, first.J1, last.J2), printable.Text(object))
		for _, op := range hunk {
			d.op(&out, op)
		}
	}
	return out.String()
}

// lineRange is a range of lines as a hunk names it: its first line, counted from that of the text,
// and its length. An empty one has the line before it.
func lineRange(line, start, end int) string {
	first := line + start
	if end == start {
		first--
	}
	return fmt.Sprintf("%d,%d", first, end-start)
}

func (d diff) op(out *strings.Builder, op difflib.OpCode) {
	if op.Tag == 'e' {
		write(out, ' ', d.before[op.I1:op.I2])
		return
	}
	write(out, '-', d.before[op.I1:op.I2])
	write(out, '+', d.after[op.J1:op.J2])
}

func write(out *strings.Builder, sign byte, lines []string) {
	for _, line := range lines {
		out.WriteByte(sign)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
