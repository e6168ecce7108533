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
	n := newMap("message", printable.Text(r.hostMessage()), "severity", r.Severity)
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
	if !r.isWhole() {
		return tree.NewMap()
	}
	return newMap("apiVersion", r.APIVersion, "kind", r.Kind, "namespace", r.Namespace, "name", r.Name)
}

func (f File) node() *tree.Node {
	n := newMap("path", f.Path)
	if f.Path != "" && f.HasIndex {
		add(n, "index", tree.NewInt(f.Index))
	}
	return n
}

func (f Field) node() *tree.Node {
	n := newMap("path", f.Path)
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

// newMap returns a map of keys and texts by turns, without the texts that are empty.
func newMap(texts ...string) *tree.Node {
	m := tree.NewMap()
	for i := 0; i < len(texts); i += 2 {
		if texts[i+1] != "" {
			add(m, texts[i], newText(texts[i+1]))
		}
	}
	return m
}

func addMap(m *tree.Node, key string, value *tree.Node) {
	if len(value.Content) > 0 {
		add(m, key, value)
	}
}

// AppendItem appends a result as an element of a block list at an indentation. Strings that are not
// one line of printable text are in double quotes.
func AppendItem(text []byte, r Result, depth int) []byte {
	w := tree.BlockWriter{Text: text, MapStep: 2, Quotes: true}
	w.Entry(nil, r.Node(), depth)
	return w.Text
}
