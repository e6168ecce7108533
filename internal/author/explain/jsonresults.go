package explain

import (
	"io"

	"github.com/krm-fields/krm-fields/internal/krm/report"
)

var asJSON = Writer{Name: "json", Extension: ".json", Doc: "the results of a ResourceList as JSON", Write: writeJSON}

func writeJSON(out io.Writer, results Results) error {
	return WriteJSON(out, append([]report.Result{}, results.All...)) // not null where there are none
}
