package tree

import (
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
)

// Parse reads one YAML document, or one element of a block list with its indentation, and returns
// its root value with its places in the text; nil for a document without a value. Comments
// may be missing from the nodes.
//
// The error is a *SyntaxError. It also refuses what YAML allows and no Kubernetes object can have:
// a duplicate key in a map, keys that are maps or lists, more than 1,000 levels, aliases inside
// their own anchor or multiplying beyond ten times the document and 100,000 nodes.
//
// Parse may be called from several goroutines at once.
func Parse(text []byte) (*Node, error) {
	return new(Memory).parse(string(text))
}

// ParseList is Parse for a list of documents, each of which may have many nodes.
func ParseList(text []byte) (*Node, error) {
	return new(Memory).parseUpTo(string(text), minNodes+len(text)/itemText)
}

// parseAny reads a document, whose characters were checked, with yaml.v3. Up to the line stopped,
// the text is known to be valid. A panic of yaml.v3 is returned as an error.
func parseAny(text string, stopped int) (root *Node, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			reason := "the text must be YAML: " + parallel.Recovered(cause).Reason
			root, err = nil, &SyntaxError{Line: stopped, Reason: reason}
		}
	}()
	if err := checkTagDirectives(text); err != nil {
		return nil, err
	}
	root, err = decodeOne(acceptVersion(text), stopped)
	if err != nil || root == nil {
		return nil, err
	}
	if err := checkLimits(root, false); err != nil {
		return nil, err
	}
	return root, nil
}

// decodeOne returns the root of the one document in text that has content; nil for none.
func decodeOne(text string, stopped int) (*Node, error) {
	var root *Node
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return root, nil
		} else if err != nil {
			return nil, newSyntaxError(err, text, stopped)
		}
		if isEmpty(document.Content[0]) {
			continue
		}
		if root != nil {
			const reason = "the text must be one YAML document, found a second one"
			return nil, &SyntaxError{Line: document.Content[0].Line, Reason: reason}
		}
		r := libraryReader{anchored: map[*yaml.Node]*Node{}, starts: lines.Starts([]byte(text)), text: text}
		r.starts[0] = len(text) - len(strings.TrimPrefix(text, lines.ByteOrderMark))
		root = r.node(document.Content[0])
	}
}

// isEmpty tells whether root is that of a document with no content: for example, two markers `---`
// with only comments between.
func isEmpty(root *yaml.Node) bool {
	return root.Kind == yaml.ScalarNode && root.Value == "" && root.Style == 0 && root.Anchor == ""
}

// acceptVersion returns text with the directive `%YAML 1.2` changed to `%YAML 1.1`, because yaml.v3
// refuses the former and reads both alike.
func acceptVersion(text string) string {
	offset := 0
	for line := range strings.Lines(text) {
		content := strings.TrimSpace(strings.TrimPrefix(line, lines.ByteOrderMark))
		if fields := strings.Fields(content); len(fields) > 1 && fields[0] == "%YAML" && fields[1] == "1.2" {
			minor := offset + strings.Index(line, "1.2") + len("1.")
			return text[:minor] + "1" + text[minor+1:]
		}
		if content != "" && content[0] != '#' && content[0] != '%' {
			return text
		}
		offset += len(line)
	}
	return text
}
