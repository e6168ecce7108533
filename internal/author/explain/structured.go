package explain

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// WriteJSON writes any value as indented JSON.
func WriteJSON(out io.Writer, v any) error {
	text, err := jsonOf(v)
	if err != nil {
		return err
	}
	_, err = out.Write(printable.JSON(text))
	return err
}

func jsonOf(v any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(v)
	return text.Bytes(), err
}

// WriteYAML writes what WriteJSON writes as YAML.
func WriteYAML(out io.Writer, v any) error {
	text, err := jsonOf(v)
	if err != nil {
		return err
	}
	root, err := tree.ParseJSON(text)
	if err != nil {
		return err
	}
	return WriteNode(out, root)
}

// WriteNode writes a node as YAML in block style.
func WriteNode(out io.Writer, root *tree.Node) error {
	blockStyle(root)
	w := tree.BlockWriter{MapStep: 2}
	w.Document(root)
	_, err := out.Write(printable.YAML(w.Text))
	return err
}

// blockStyle gives nodes that were JSON the style of YAML.
func blockStyle(n *tree.Node) {
	for _, child := range n.Content {
		blockStyle(child)
	}
	switch {
	case n.Kind != tree.ScalarNode:
		n.Style = 0
	case n.Tag == tree.StringTag && !printable.IsLine(n.Text()):
		n.Style = tree.DoubleQuotedStyle
	case n.Tag == tree.StringTag:
		*n = *tree.NewString(n.Text())
	}
}

var asJSON = Writer{Name: "json", Extension: ".json", Doc: "the results of a ResourceList as JSON", Write: writeJSON}

func writeJSON(out io.Writer, results Results) error {
	return WriteJSON(out, append([]report.Result{}, results.All...)) // not null where there are none
}

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
