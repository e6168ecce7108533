package resourcelist

import (
	"iter"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

const (
	// resultsAtOnce is how many results are written to one text, and textsAtOnce how many texts are
	// written side by side.
	resultsAtOnce = 16
	textsAtOnce   = 32
	// usualResult is the length, in bytes, of the usual result.
	usualResult = 640
)

// resultsTexts writes results as the elements of a block list at an indentation. Each text is valid
// until the next one is asked for: the results of a large list would take as much memory as a third
// of its items.
func resultsTexts(results []report.Result, depth int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var writers []*report.TextWriter
		for window := range slices.Chunk(results, textsAtOnce*resultsAtOnce) {
			groups := slices.Collect(slices.Chunk(window, resultsAtOnce))
			for len(writers) < len(groups) {
				writers = append(writers, report.NewTextWriter(depth, usualResult*len(groups[len(writers)])))
			}
			_ = parallel.Each(len(groups), func(i int) error {
				writers[i].Reset()
				for _, result := range groups[i] {
					writeResult(writers[i], result, depth)
				}
				return nil
			})
			for _, w := range writers[:len(groups)] {
				if !yield(w.Text()) {
					return
				}
			}
		}
	}
}

// writeResult writes a result. A value that can't be written as YAML is left out: in a result it
// may be nested too deep.
func writeResult(w *report.TextWriter, result report.Result, depth int) {
	if w.Write(result) {
		return
	}
	text, err := object.NewItem(result.Node(), depth).Text()
	if err != nil {
		result.Field.Current, result.Field.HasCurrent = nil, false
		text, _ = object.NewItem(result.Node(), depth).Text()
	}
	w.WriteText(text)
}
