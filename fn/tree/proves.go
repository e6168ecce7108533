package tree

import "go.yaml.in/yaml/v3"

// Proves tells whether text parses, see Parse, to the same document as root, see Same. The text must not change
// meanwhile.
func Proves(text []byte, root *yaml.Node) bool {
	var memory Memory
	defer memory.Free()
	parsed, err := memory.Parse(text)
	return err == nil && Same(parsed, root)
}
