package wire

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// jsonList is a list in JSON.
type jsonList struct {
	root *yaml.Node
	// pretty is true where the text has line breaks.
	pretty bool
	// newline is true where the text ends with a line break.
	newline bool
}

func readJSON(text []byte, check check) (*List, error) {
	root, err := tree.ParseJSON(bytes.TrimLeft(text, "\ufeff"))
	if err != nil {
		return nil, wireError(err)
	}
	envelope, err := readEnvelope(root, check)
	if err != nil {
		return nil, err
	}
	items := tree.Get(root, "items")
	if t := tree.Type(items); t != tree.List && t != tree.Null {
		return nil, &Error{Line: lineOf(items), Reason: "items must be a list, found a " + t}
	}
	body := bytes.TrimSpace(text)
	layout := &jsonList{root: root, pretty: bytes.IndexByte(body, '\n') >= 0, newline: bytes.HasSuffix(text, []byte{'\n'})}
	list := &List{FunctionConfig: envelope.functionConfig, layout: layout}
	for _, item := range tree.Elements(items) {
		list.Items = append(list.Items, object.JSON(item))
	}
	return list, nil
}

func (j *jsonList) write(items []*object.Object, results []report.Result) ([][]byte, error) {
	all := &yaml.Node{Kind: yaml.SequenceNode}
	for _, item := range items {
		all.Content = append(all.Content, item.Root())
	}
	outcome := &yaml.Node{Kind: yaml.SequenceNode}
	outcome.Content = append(outcome.Content, tree.Elements(tree.Get(j.root, "results"))...)
	for _, result := range results {
		outcome.Content = append(outcome.Content, result.Node())
	}
	list := withMember(j.root, "items", all)
	if len(outcome.Content) > 0 {
		list = withMember(list, "results", outcome)
	}
	text, err := tree.MarshalJSON(list)
	if err != nil {
		return nil, err
	}
	text, err = j.lines(text)
	return [][]byte{text}, err
}

// failureInJSON returns a list without items that carries the results alone.
func failureInJSON(results []report.Result) ([]byte, error) {
	root := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		tree.NewString("apiVersion"), tree.NewString(apiVersions[0]), tree.NewString("kind"), tree.NewString(Kind),
	}}
	written, err := (&jsonList{root: root, newline: true}).write(nil, results)
	return bytes.Join(written, nil), err
}

// lines lays the text out as the one that came in.
func (j *jsonList) lines(text []byte) ([]byte, error) {
	var out bytes.Buffer
	if j.pretty {
		if err := json.Indent(&out, text, "", "  "); err != nil {
			return nil, err
		}
	} else {
		out.Write(text)
	}
	if j.newline {
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

// withMember returns a copy of the map m whose member key is value, in the
// place of the old one or behind the others.
func withMember(m *yaml.Node, key string, value *yaml.Node) *yaml.Node {
	c := *m
	c.Content = append([]*yaml.Node(nil), m.Content...)
	for i := 0; i+1 < len(c.Content); i += 2 {
		if c.Content[i].Value == key {
			c.Content[i+1] = value
			return &c
		}
	}
	c.Content = append(c.Content, tree.NewString(key), value)
	return &c
}
