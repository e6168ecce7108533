package explain

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/tree"
)

// MarshalJSON writes the result as a ResourceList has it.
func (r Result) MarshalJSON() ([]byte, error) { return tree.MarshalJSON(r.result.Node()) }

// WriteJSON writes any value as indented JSON.
func WriteJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// WriteYAML writes what WriteJSON writes as YAML.
func WriteYAML(out io.Writer, v any) error {
	var text bytes.Buffer
	if err := WriteJSON(&text, v); err != nil {
		return err
	}
	root, err := tree.ParseJSON(text.Bytes())
	if err != nil {
		return err
	}
	blockStyle(root)
	encoder := yaml.NewEncoder(out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	return encoder.Encode(root)
}

// blockStyle gives nodes that were JSON the style of YAML.
func blockStyle(n *yaml.Node) {
	for _, child := range n.Content {
		blockStyle(child)
	}
	switch {
	case n.Kind != yaml.ScalarNode:
		n.Style = 0
	case n.Tag == "!!str" && strings.Contains(n.Value, "\n"):
		n.Style = yaml.LiteralStyle
	case n.Tag == "!!str":
		*n = *tree.NewString(n.Value)
	}
}
