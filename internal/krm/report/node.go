package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Node returns the result as an element of a ResourceList's results, with the names of
// sigs.k8s.io/kustomize/kyaml/fn/framework.Result. Unknown parts are left out; a file without a
// path is unknown. U+FFFD replaces invalid bytes of UTF-8. The message, which hosts print as it is,
// has spaces instead of line breaks and control characters.
func (r Result) Node() *tree.Node {
	n := tree.NewMap()
	addText(n, "message", printable.Text(r.hostMessage()))
	addText(n, "severity", r.Severity)
	addMap(n, "resourceRef", r.Ref.node())
	addMap(n, "file", r.File.node())
	addMap(n, "field", r.Field.node())
	tags := tree.NewMap()
	for _, key := range slices.Sorted(maps.Keys(r.Tags)) {
		add(tags, key, newText(r.Tags[key]))
	}
	addMap(n, "tags", tags)
	return n
}

// MarshalJSON writes the result as a ResourceList has it.
func (r Result) MarshalJSON() ([]byte, error) { return tree.MarshalJSON(r.Node()) }

// hostMessage is the message, with what is known of the object if the reference is left out.
func (r Result) hostMessage() string {
	if ref := r.Ref.String(); !r.Ref.isWhole() && !words.Names(r.Message, ref) {
		return r.Message + " (" + ref + ")"
	}
	return r.Message
}

// isWhole tells whether the reference has what hosts need to find the object.
func (r Ref) isWhole() bool { return r.APIVersion != "" && r.Kind != "" && r.Name != "" }

// node returns the reference, which is left out unless it is whole.
func (r Ref) node() *tree.Node {
	n := tree.NewMap()
	if !r.isWhole() {
		return n
	}
	addText(n, "apiVersion", r.APIVersion)
	addText(n, "kind", r.Kind)
	addText(n, "namespace", r.Namespace)
	addText(n, "name", r.Name)
	return n
}

func (f File) node() *tree.Node {
	n := tree.NewMap()
	if f.Path == "" {
		return n
	}
	addText(n, "path", f.Path)
	if f.HasIndex {
		add(n, "index", tree.NewInt(f.Index))
	}
	return n
}

func (f Field) node() *tree.Node {
	n := tree.NewMap()
	addText(n, "path", f.Path)
	if f.HasCurrent && isFlat(f.Current, maxDepth) {
		add(n, "currentValue", tree.FromValue(f.Current))
	}
	return n
}

// maxDepth is how deep a value in a result may be: inside a list, a deeper one could not be read
// again.
const maxDepth = 900

// isFlat tells whether a value is nested at most so deep.
func isFlat(value any, depth int) bool {
	switch value := value.(type) {
	case map[string]any:
		for _, member := range value {
			if depth == 0 || !isFlat(member, depth-1) {
				return false
			}
		}
	case []any:
		for _, element := range value {
			if depth == 0 || !isFlat(element, depth-1) {
				return false
			}
		}
	}
	return true
}

func newText(text string) *tree.Node {
	return tree.NewString(strings.ToValidUTF8(text, "\uFFFD"))
}

func add(m *tree.Node, key string, value *tree.Node) {
	m.Content = append(m.Content, newText(key), value)
}

func addText(m *tree.Node, key, text string) {
	if text != "" {
		add(m, key, newText(text))
	}
}

func addMap(m *tree.Node, key string, value *tree.Node) {
	if len(value.Content) > 0 {
		add(m, key, value)
	}
}
