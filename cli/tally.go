package cli

import (
	"fmt"
	"io"

	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// fewObjects is how many objects need no line that sums up the run.
const fewObjects = 20

// tally counts what a run does.
type tally struct{ objects, changed, warnings, errors int }

func (t *tally) addObjects(objects []*object.Object) {
	t.objects += len(objects)
	for _, o := range objects {
		if o.Changed() {
			t.changed++
		}
	}
}

// print ends the output of a run over many objects on a terminal with a line that sums it up.
func (t *tally) print(errOut io.Writer, o resultOptions) {
	if t.objects <= fewObjects || !o.isVerbose() || !isTerminal(errOut) {
		return
	}
	line := fmt.Sprintf("%d objects: %d changed", t.objects, t.changed)
	if t.warnings > 0 {
		line += ", " + count(t.warnings, "warning")
	}
	if t.errors > 0 {
		line += ", " + count(t.errors, "error")
	}
	fmt.Fprintln(errOut, line)
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
