package explain

import (
	"bufio"
	"io"

	"github.com/krm-fields/krm-fields/fn/report"
)

// Texts are two texts of an object. Before is nil for an object that is new, After for one that goes.
type Texts struct {
	Ref           report.Ref
	File          string
	Before, After []byte
}

// WriteTexts writes a unified diff of the texts of objects, in colour if asked, and tells whether there is a difference.
// The values of Secrets are masked, and so is the annotation of a Secret with its object hash.
func WriteTexts(w io.Writer, all []Texts, hashAnnotation string, coloured bool) (bool, error) {
	text := textWriter{out: bufio.NewWriterSize(w, 1<<16), coloured: coloured}
	var changes []Change
	for _, t := range all {
		d := compare(t.Before, t.After, 1, hashAnnotation)
		diff := d.text(t.File, d.shown.object(objectOf(t.Ref)).String(), 0)
		if diff != "" {
			changes = append(changes, Change{Object: objectOf(t.Ref), Diff: diff})
		}
	}
	text.diffs(changes)
	return len(changes) > 0, text.out.Flush()
}
