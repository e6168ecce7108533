package redact

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// lastApplied is the annotation in which kubectl keeps the whole object as JSON, a Secret's data
// included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// role is what a node is in its object.
type role int

const (
	anObject       role = iota // an object, or something in one
	secretItems                // the items of a SecretList
	aSecret                    // a Secret
	secretMetadata             // the metadata of a Secret, and the annotations in it
	base64Strings              // strings of base64
	derivedText                // annotations that are derived from values of a Secret
	secretPart                 // parts of a value of a Secret
	secretValue                // values of a Secret
)

// isHidden tells whether the values in a node are hidden.
func (is role) isHidden() bool { return is >= derivedText }

// ofMap returns the role of a map that has a role.
func (is role) ofMap(n *tree.Node) role {
	if is == secretItems || is == anObject && IsSecret(tree.GetString(n, "apiVersion"), tree.GetString(n, "kind")) {
		return aSecret
	}
	return is
}

// ofEntry returns the role of the value behind a key of the map n, which has a role.
func (is role) ofEntry(n *tree.Node, i int) role {
	if tree.IsMergeKey(n.Content[i]) {
		return is
	}
	return is.ofMember(n, tree.Deref(n.Content[i]).Text())
}

func (is role) ofMember(n *tree.Node, key string) role {
	switch {
	case is == base64Strings, is.isHidden():
		return is
	case is == aSecret && (key == "data" || key == "stringData"):
		return secretValue
	case is == aSecret && key == "metadata", is == secretMetadata && key == "annotations":
		return secretMetadata
	case is == secretMetadata && key == lastApplied:
		return derivedText
	case key == "items" && tree.GetString(n, "kind") == "SecretList" && mayBeCore(tree.GetString(n, "apiVersion")):
		return secretItems
	case key == "binaryData":
		return base64Strings
	}
	return anObject
}

// roleAt returns the role of a place in the objects.
func (m Mask) roleAt(l location.Location) role {
	most := anObject
	for _, n := range m.roots {
		is := anObject
		for i, step := range l {
			if !step.IsIndex {
				is = is.ofMap(n).ofMember(n, step.Key)
			}
			n = location.At(n, l[i:i+1])
		}
		most = max(most, is)
	}
	return most
}

// IsSecret tells whether an object is a Secret of the core group. A Secret with a wrong version is
// still secret, as is one with an invalid group: core/v1, v1/. Other kinds named Secret are in
// groups that have a dot, such as example.com.
func IsSecret(apiVersion, kind string) bool {
	return kind == "Secret" && mayBeCore(apiVersion)
}

// MayHold tells whether a Secret may be in the text of an object, also in a string of it: false is
// certain.
func MayHold(text []byte) bool {
	return bytes.Contains(text, []byte("Secret")) || bytes.IndexByte(text, '\\') >= 0 || bytes.Contains(text, []byte("binaryData"))
}

// mayBeCore tells whether the group has no dot, which hides too much rather than too little.
func mayBeCore(apiVersion string) bool {
	group, _, hasGroup := strings.Cut(apiVersion, "/")
	return !hasGroup || !strings.Contains(group, ".")
}

// collector collects the values of the Secrets in objects.
type collector struct {
	// values are the texts to hide, some several times.
	values []string
	// holds is true if there is a Secret.
	holds bool
	// seen are the anchored nodes that were read, with their roles: a node with thousands of
	// aliases, or one that contains an alias of itself, is read once in each role.
	seen map[[2]any]bool
}

// collect reads n, which has a role.
func (c *collector) collect(n *tree.Node, is role) {
	if n = tree.Deref(n); n == nil {
		return
	}
	if n.Anchor() != "" {
		if c.seen[[2]any{n, is}] {
			return
		}
		if c.seen == nil {
			c.seen = map[[2]any]bool{}
		}
		c.seen[[2]any{n, is}] = true
	}
	switch n.Kind {
	case tree.MappingNode:
		is = is.ofMap(n)
		c.holds = c.holds || is == aSecret
		for i := 0; i+1 < len(n.Content); i += 2 {
			c.collect(n.Content[i+1], is.ofEntry(n, i))
		}
	case tree.SequenceNode:
		for _, element := range n.Content {
			c.collect(element, is)
		}
	default:
		c.scalar(n, is)
	}
}

func (c *collector) scalar(n *tree.Node, is role) {
	text, kind := n.Text(), tree.Type(n)
	switch {
	case kind == tree.Null:
	case is == secretPart:
		if kind == tree.String && len(text) > maxShort {
			c.add(text)
		}
	case is == secretValue:
		c.value(text)
		if kind != tree.String {
			c.add(tree.FromValue(tree.Scalar(n)).Text()) // as jq writes a number: 1e3 as 1000
		}
		if decoded, bare, ok := decodeBase64(text); ok {
			c.add(bare)
			c.value(decoded)
		}
		c.add(base64.StdEncoding.EncodeToString([]byte(text))) // as the API server keeps a text
	default:
		if is == base64Strings {
			text, _, _ = decodeBase64(text)
		}
		documents, inner := secretsIn(text)
		if inner.holds && documents == nil || is == derivedText && !inner.holds {
			c.value(text)
		}
		c.holds = c.holds || inner.holds
		c.values = append(c.values, inner.values...)
	}
}

// value adds a text to hide: it, each line of it, and if it is JSON each string in it.
func (c *collector) value(text string) {
	trimmed := strings.TrimSpace(text)
	if c.add(text); trimmed != text {
		c.add(trimmed)
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); len(line) > maxShort && line != trimmed {
			c.add(line)
		}
	}
	if strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		root, _ := tree.ParseJSON([]byte(trimmed)) // nil on an error
		c.collect(root, secretPart)
	}
}

// pieceSize is the size of the pieces in which long values are looked for, so that the time of a
// search does not depend on their length; pieceOverlap of two neighbours is the same.
const pieceSize, pieceOverlap = 256, 8

// add adds a text; one that is not UTF-8 also as JSON shows it. A blank text reveals nothing and
// would be found everywhere.
func (c *collector) add(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if !utf8.ValidString(text) {
		c.add(string([]rune(text)))
	}
	for len(text) > 2*pieceSize {
		c.values = append(c.values, text[:pieceSize+pieceOverlap])
		text = text[pieceSize:]
	}
	c.values = append(c.values, text)
}

// secretsIn returns the documents of a string in which a Secret is, and their mask, which is zero
// where there is none. A string that names a Secret and can't be parsed has no documents, and
// counts as one with a Secret.
func secretsIn(text string) ([]*tree.Node, Mask) {
	names := func(word string) bool { return strings.Contains(text, word) }
	isEscaped := names(`\x`) || names(`\u`) || names(`\U`)
	if !isEscaped && (!names("Secret") || !names("kind")) {
		return nil, Mask{}
	}
	var documents []*tree.Node
	for document := range lines.Documents([]byte(strings.TrimPrefix(text, lines.ByteOrderMark))) {
		root, err := tree.Parse(document.Text)
		if err != nil {
			return nil, Mask{holds: names("Secret") && names("kind")}
		}
		if root == nil || root.Kind == tree.ScalarNode && root.Text() == text {
			continue // a text that is not quoted, which would be looked into for ever
		}
		documents = append(documents, root)
	}
	return documents, New(documents...)
}

// decodeBase64 returns what base64 stands for, also without padding or with line breaks, and the
// base64 without these.
func decodeBase64(text string) (decoded, bare string, ok bool) {
	bare = strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
	bytes, err := base64.RawStdEncoding.DecodeString(fromURL.Replace(bare))
	return string(bytes), bare, err == nil
}

// fromURL replaces the letters that base64 has in URLs.
var fromURL = strings.NewReplacer("-", "+", "_", "/")
