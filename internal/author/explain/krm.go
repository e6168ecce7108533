package explain

import (
	"io"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/printable"
)

var krm = Writer{Name: "krm", Extension: ".yaml", Doc: "the results of a ResourceList as YAML", Write: writeKRM}

func writeKRM(out io.Writer, results Results) error {
	if len(results.All) == 0 {
		_, err := io.WriteString(out, "[]\n")
		return err
	}
	var item []byte
	for _, result := range results.All {
		item = report.AppendItem(item[:0], result, 0)
		if _, err := out.Write(printable.YAML(item)); err != nil {
			return err
		}
	}
	return nil
}
