package applypatches

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// AddEmpty adds an op to the table, for the time of a test: it empties the lists at the places.
func AddEmpty(t *testing.T) {
	before := ops
	t.Cleanup(func() { ops = before })
	ops = append(Ops(), Op{
		Name: "empty", Doc: "empties a list", isMissing: isAbsent,
		run: func(e *editor, places []patchpath.Match) error {
			for _, place := range places {
				if err := e.set(place.Location, tree.FromValue([]any{})); err != nil {
					return err
				}
			}
			return nil
		},
	})
}
