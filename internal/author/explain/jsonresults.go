package explain

import (
	"encoding/json"
	"io"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var asJSON = Writer{Name: "json", Extension: ".json", Doc: "the results of a ResourceList as JSON", Write: writeJSON}

func writeJSON(out io.Writer, results Results) error {
	list := make([]json.RawMessage, len(results.All))
	for i, result := range results.All {
		text, err := tree.MarshalJSON(result.Node())
		if err != nil {
			return err
		}
		list[i] = text
	}
	return WriteJSON(out, list)
}
