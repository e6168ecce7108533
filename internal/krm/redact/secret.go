package redact

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// lastApplied is the annotation in which kubectl keeps the whole object as JSON, a Secret's data
// included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

var lastAppliedAt = location.Location{location.Key("metadata"), location.Key("annotations"), location.Key(lastApplied)}

// secretReader collects the values of the Secrets in one or more objects.
type secretReader struct {
	// values are the texts to hide, some several times.
	values []string
	// hidden are the locations whose values are all hidden.
	hidden []location.Location
	// anchored are the anchored nodes that were read: a node with thousands of aliases, or one that
	// contains an alias of itself, is read once.
	anchored map[*tree.Node]bool
}

// object looks for Secrets in n, found at l: in n itself, the items of a List, the manifests of a
// ManifestWork and so on.
func (r *secretReader) object(n *tree.Node, l location.Location) {
	if n = r.enter(n); n == nil {
		return
	}
	switch n.Kind {
	case tree.MappingNode:
		if isSecret(n) {
			r.secret(n, l)
			return
		}
		if isSecretList(n) {
			for i, item := range tree.Elements(tree.Lookup(n, "items")) {
				if item = r.enter(item); tree.IsMap(item) {
					r.secret(item, l.With(location.Key("items")).With(location.Index(i)))
				}
			}
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if value := n.Content[i+1]; value.Kind == tree.ScalarNode {
				r.documents(value, false)
			} else if tree.Deref(n.Content[i]).Text() == "binaryData" {
				for _, encoded := range tree.Entries(value) {
					r.documents(encoded, true)
				}
			} else {
				r.object(value, append(l, location.Key(tree.Deref(n.Content[i]).Text())))
			}
		}
	case tree.SequenceNode:
		for i, element := range n.Content {
			if element.Kind == tree.ScalarNode {
				r.documents(element, false)
			} else {
				r.object(element, append(l, location.Index(i)))
			}
		}
	}
}

// documents reads the Secrets in the documents that a string holds, such as the manifests in a
// ConfigMap. A string with one is hidden as a whole, too, since it may write a value in many ways.
func (r *secretReader) documents(n *tree.Node, isBase64 bool) {
	text := n.Text()
	if isBase64 {
		text, _ = decodeBase64(n.Text())
	}
	if !mayHoldSecret(text) {
		return
	}
	documents, holds := secretDocuments(text)
	if !holds {
		return
	}
	r.add(n.Text())
	r.add(text)
	r.add(strings.TrimSpace(text))
	if documents == nil {
		r.value(text)
	}
	for _, root := range documents {
		inner := secretReader{anchored: map[*tree.Node]bool{}}
		inner.object(root, nil)
		r.values = append(r.values, inner.values...)
	}
}

// enter follows aliases from n; nil for a node that was read before.
func (r *secretReader) enter(n *tree.Node) *tree.Node {
	n = tree.Deref(n)
	if n == nil || n.Anchor() == "" {
		return n
	}
	if r.anchored[n] {
		return nil
	}
	r.anchored[n] = true
	return n
}

// isSecret tells whether the map n is a Secret.
func isSecret(n *tree.Node) bool {
	kind, apiVersion := identity(n)
	return IsSecret(apiVersion, kind)
}

// isSecretList tells whether the items of the map n are Secrets, also if they do not say so.
func isSecretList(n *tree.Node) bool {
	kind, apiVersion := identity(n)
	return kind == "SecretList" && isCore(apiVersion)
}

// identity returns the kind and the apiVersion of the map n; "" where it has none.
func identity(n *tree.Node) (kind, apiVersion string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if tree.Deref(n.Content[i]).Text() == "kind" || tree.IsMergeKey(n.Content[i]) {
			return text(n, "kind"), text(n, "apiVersion")
		}
	}
	return "", ""
}

// IsSecret tells whether an object is a Secret of the core group. A Secret with a wrong version is
// still secret, as is one with an invalid group: core/v1, v1/. Other kinds named Secret are in
// groups that have a dot, such as example.com.
func IsSecret(apiVersion, kind string) bool {
	return kind == "Secret" && isCore(apiVersion)
}

func isCore(apiVersion string) bool {
	group, _, hasGroup := strings.Cut(apiVersion, "/")
	return !hasGroup || !strings.Contains(group, ".")
}

// text returns the text of the scalar key of the map m; "" for null.
func text(m *tree.Node, key string) string {
	n := tree.Lookup(m, key)
	if tree.Type(n) == tree.Null {
		return ""
	}
	return tree.GetString(n)
}

// secret reads the Secret n, found at l.
func (r *secretReader) secret(n *tree.Node, l location.Location) {
	r.hidden = slices.Grow(r.hidden, 3)
	for _, field := range []string{"data", "stringData"} {
		r.hidden = append(r.hidden, l.With(location.Key(field)))
		r.scalars(tree.Lookup(n, field), field == "data")
	}
	r.hidden = append(r.hidden, slices.Concat(l, lastAppliedAt))
	r.lastApplied(text(tree.Get(n, "metadata", "annotations"), lastApplied))
}

// lastApplied reads the values of the Secret that the annotation holds as JSON. JSON that is no map
// has no values to hide.
func (r *secretReader) lastApplied(annotation string) {
	if annotation == "" {
		return
	}
	applied, err := tree.Parse([]byte(annotation))
	if err != nil || !tree.IsMap(applied) {
		r.value(annotation)
		return
	}
	r.add(annotation)
	r.add(strings.TrimSpace(annotation))
	r.scalars(tree.Lookup(applied, "data"), true)
	r.scalars(tree.Lookup(applied, "stringData"), false)
}

// scalars reads all scalars in n.
func (r *secretReader) scalars(n *tree.Node, encoded bool) {
	if n = r.enter(n); n == nil {
		return
	}
	switch n.Kind {
	case tree.MappingNode:
		for _, value := range tree.Entries(n) {
			r.scalars(value, encoded)
		}
	case tree.SequenceNode:
		for _, element := range n.Content {
			r.scalars(element, encoded)
		}
	case tree.ScalarNode:
		if tree.Type(n) == tree.Null {
			return
		}
		r.value(n.Text())
		if tree.Type(n) != tree.String { // jq writes a number in another notation: 1e3 as 1000
			r.value(tree.FromValue(tree.Scalar(n)).Text())
		}
		if encoded {
			r.decoded(n.Text())
		} else { // as the API server keeps it
			r.add(base64.StdEncoding.EncodeToString([]byte(n.Text())))
		}
	}
}

// decoded adds the text that a base64 data value encodes. Line breaks and missing padding are
// accepted.
func (r *secretReader) decoded(encoded string) {
	bare := encoded
	if strings.ContainsFunc(bare, unicode.IsSpace) {
		bare = strings.Join(strings.Fields(bare), "")
	}
	bare = strings.TrimRight(bare, "=")
	if bare != encoded {
		r.value(bare)
	}
	if decoded, ok := decodeBase64(encoded); ok {
		r.value(decoded)
	}
}

// value adds a text to hide: it, with and without the blanks around it, each line of it, and if it
// is JSON each string in it.
func (r *secretReader) value(text string) {
	trimmed := strings.TrimSpace(text)
	r.add(text)
	if trimmed != text {
		r.add(trimmed)
	}
	for line := range strings.Lines(trimmed) {
		if line = strings.TrimSpace(line); len(line) < len(trimmed) && !isShort(line) {
			r.add(line)
		}
	}
	if strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		var document any
		if json.Unmarshal([]byte(trimmed), &document) == nil {
			r.jsonStrings(document)
		}
	}
}

func (r *secretReader) jsonStrings(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			r.jsonStrings(member)
		}
	case []any:
		for _, element := range v {
			r.jsonStrings(element)
		}
	case string:
		if !isShort(v) {
			r.add(v)
		}
	}
}

// add adds a text, and if it is no valid UTF-8 the form in which jq shows it. A blank text reveals
// nothing and would be found everywhere.
func (r *secretReader) add(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	r.values = append(r.values, text)
	if !utf8.ValidString(text) {
		r.values = append(r.values, string([]rune(text)))
	}
}
