package explain

import (
	"bufio"
	"io"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

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
	trace := &ignorefields.Trace{HashAnnotation: ignorefields.ConfigOf(nil).ObjectHash.Annotation}
	changes, err := changesOf(Run{Items: items, Out: out, Trace: trace}, d.shift)
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
