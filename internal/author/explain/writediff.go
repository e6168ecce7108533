package explain

import (
	"bufio"
	"io"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// WriteDiff writes how objects change in a run that items go into and out comes out of, as a
// unified diff, in colour if asked. The values of Secrets are masked.
func WriteDiff(w io.Writer, items, out []*object.Object, coloured bool) error {
	changes, err := changesOf(Run{Items: items, Out: out, Trace: &ignorefields.Trace{}})
	if err != nil {
		return err
	}
	text := textWriter{out: bufio.NewWriterSize(w, 1<<16), coloured: coloured}
	text.diffs(changes)
	return text.out.Flush()
}

// WriteDiff writes how the objects change, as the function WriteDiff does.
func (e *Explanation) WriteDiff(w io.Writer) error {
	text := textWriter{out: bufio.NewWriter(w)}
	text.diffs(e.Changes)
	return text.out.Flush()
}
