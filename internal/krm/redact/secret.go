package redact

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// lastApplied is the annotation in which kubectl keeps the whole object as JSON, a Secret's data
// included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// objectHash is the usual annotation with the object hash.
const objectHash = "open-cluster-management.io/object-hash"

// role is what a node is in its object.
type role int

const (
	anObject          role = iota // an object, or something in one
	metadata                      // the metadata of an object
	named                         // what names an object, and who manages it
	annotations                   // annotations of an object, and a text in them
	hashText                      // an annotation with the object hash
	secretItems                   // the items of a SecretList
	aSecret                       // a Secret
	secretMetadata                // the metadata of a Secret
	secretAnnotations             // the annotations in it
	base64Strings                 // strings of base64
	derivedText                   // annotations that are derived from values of a Secret
	secretPart                    // parts of a value of a Secret
	secretValue                   // values of a Secret
)

// isHidden tells whether the values in a node are hidden.
func (is role) isHidden() bool { return is >= derivedText }

// ofMap returns the role of a map that has a role.
func (is role) ofMap(n *tree.Node) role {
	if is == secretItems || is == anObject && IsSecretObject(n) && !isReference(n) {
		return aSecret
	}
	return is
}

// isReference tells whether a map only names an object, as that of a Gateway's certificate does.
func isReference(n *tree.Node) bool {
	for _, member := range []string{"data", "stringData", "metadata"} {
		if tree.Lookup(n, member) != nil {
			return false
		}
	}
	return true
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
	case is == aSecret && key == "metadata":
		return secretMetadata
	case is == secretMetadata && key == "annotations":
		return secretAnnotations
	case is == secretAnnotations && (key == lastApplied || key == objectHash):
		return derivedText
	case is == annotations && key == objectHash:
		return hashText
	case is == secretAnnotations, key == "annotations":
		return annotations
	case is == named, (is == metadata || is == secretMetadata) && slices.Contains(serverSet, key), key == "apiVersion", key == "kind":
		return named
	case key == "metadata":
		return metadata
	case key == "items" && tree.GetString(n, "kind") == "SecretList" && mayBeCore(tree.GetString(n, "apiVersion")):
		return secretItems
	case key == "binaryData":
		return base64Strings
	}
	return anObject
}

// serverSet are the members of metadata that name the object, or that only a server sets.
var serverSet = []string{
	"name", "namespace", "generateName", "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields",
}

// isHash tells whether a text may be a hash, such as the object hash: of a short value it lets a
// guess be checked.
func isHash(text string) bool {
	return len(text) >= 16 && strings.Trim(text, "0123456789abcdef") == ""
}

// roleAt returns the role of a place in an object.
func roleAt(n *tree.Node, l location.Location) role {
	is := anObject
	for i, step := range l {
		if !step.IsIndex {
			is = is.ofMap(n).ofMember(n, step.Key)
		}
		if i+1 < len(l) {
			n = location.At(n, l[i:i+1])
		}
	}
	return is
}

// IsSecret tells whether an object is a Secret of the core group. A Secret with a wrong version is
// still secret, as is one with an invalid group: core/v1, v1/. Other kinds named Secret are in
// groups that have a dot, such as example.com.
func IsSecret(apiVersion, kind string) bool {
	return kind == "Secret" && mayBeCore(apiVersion)
}

// IsSecretObject tells whether the root of an object is that of a Secret.
func IsSecretObject(root *tree.Node) bool {
	return IsSecret(tree.GetString(root, "apiVersion"), tree.GetString(root, "kind"))
}

// MayHold tells whether a Secret may be in the text of an object, also in a string of it: false is
// certain. Its kind is a word of its own, or written with escapes, or in base64.
func MayHold(text []byte) bool {
	return hasSecretWord(text) || hasEscape(text) || bytes.Contains(text, []byte("binaryData"))
}

// hasSecretWord tells whether a text has one of the kinds as a word of its own.
func hasSecretWord(text []byte) bool {
	const word, list = "Secret", "List"
	for {
		i := bytes.Index(text, []byte(word))
		if i < 0 {
			return false
		}
		behind := bytes.TrimPrefix(text[i+len(word):], []byte(list))
		if (i == 0 || !isAlphanumeric(text[i-1])) && (len(behind) == 0 || !isAlphanumeric(behind[0])) {
			return true
		}
		text = text[i+len(word):]
	}
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// hasEscape tells whether a text has an escape sequence that a letter of a word may be written
// with: for a letter, for a backslash, which may begin one, or for a line break in a word, which
// stands for nothing.
func hasEscape(text []byte) bool {
	for isInWord := false; ; {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			return false
		}
		isInWord = i > 0 && isAlphanumeric(text[i-1]) || i == 0 && isInWord
		kind, digits := text[i+1], text[i+2:]
		text = text[i+1:]
		if kind == '\r' || kind == '\n' {
			if text = bytes.TrimLeft(text, "\r\n\t "); isInWord && len(text) > 0 && isAlphanumeric(text[0]) {
				return true
			}
			continue
		}
		if size := escapes[kind]; size > 0 {
			code, err := strconv.ParseUint(string(digits[:min(size, len(digits))]), 16, 32)
			if err != nil || code == '\\' || code < utf8.RuneSelf && isAlphanumeric(byte(code)) {
				return true
			}
		}
	}
}

// escapes has how many digits an escape sequence of YAML or JSON has.
var escapes = [256]int{'x': 2, 'u': 4, 'U': 8}

// mayBeCore tells whether the group has no dot, which hides too much rather than too little.
func mayBeCore(apiVersion string) bool {
	group, _, hasGroup := strings.Cut(apiVersion, "/")
	return !hasGroup || !strings.Contains(group, ".")
}

// collector collects the values of the Secrets in objects.
type collector struct {
	// values are the texts to hide, some several times, and hashes those of the object at hand.
	values, hashes []string
	// keys are those of the objects with Secrets.
	keys map[string]bool
	// holds is true if there is a Secret, and asksOnly if no more is to be found out.
	holds, asksOnly bool
	// asked is a text of which only is to be found out whether it may have a value; "" for none.
	asked string
	isIn  bool
	// seen are the anchored nodes that were read, with their roles: a node with thousands of
	// aliases, or one that contains an alias of itself, is read once in each role.
	seen map[[2]any]bool
}

// asking returns a collector that looks whether a text may have a value; one that collects all if
// the text is too long for that, or may have a part of a value.
func asking(text string) collector {
	if len(text) > 4<<10 || strings.Contains(text, "...") || strings.Contains(text, "…") {
		return collector{}
	}
	asked, at := text+"\n", (&marks{size: len(text)}).places()
	for level := 0; level < maxQuoting && strings.Contains(text, `\`); level++ {
		text, at = unquote(text, at)
		asked += text + "\n"
	}
	return collector{asked: asked}
}

func (c *collector) objects(roots []*tree.Node) {
	for _, root := range roots {
		c.object(root)
	}
}

// object reads an object, or documents.
func (c *collector) object(root *tree.Node) {
	of := collector{asked: c.asked, isIn: c.isIn, values: c.values}
	if of.collect(root, anObject); !of.holds {
		return
	}
	of.keep(of.hashes...)
	if c.holds, c.isIn, c.values = true, of.isIn, of.values; c.asked != "" {
		return
	}
	if c.keys == nil {
		c.keys = map[string]bool{}
	}
	addKeys(c.keys, root)
}

// addKeys adds the keys of an object.
func addKeys(keys map[string]bool, n *tree.Node) {
	for i, child := range n.Content {
		if n.Kind == tree.MappingNode && i%2 == 0 {
			keys[tree.Deref(child).Text()] = true
		}
		addKeys(keys, child)
	}
}

// collect reads n, which has a role.
func (c *collector) collect(n *tree.Node, is role) {
	if n = tree.Deref(n); n == nil || c.asksOnly && c.holds || c.isIn {
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
		if c.asked == "" || base64.StdEncoding.EncodedLen(len(text)) <= len(c.asked) {
			c.add(base64.StdEncoding.EncodeToString([]byte(text))) // as the API server keeps a text
		}
	case is == hashText, is == annotations && isHash(text):
		c.hashes = append(c.hashes, text)
	default:
		if is == base64Strings {
			text, _, _ = decodeBase64(text)
		}
		documents, inner := secretsIn(text)
		if inner.holds && documents == nil || is == derivedText && !inner.holds {
			c.value(text)
		}
		c.holds = c.holds || inner.holds
		c.keep(inner.values...)
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
	if lines.LooksLikeJSON(trimmed) {
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
		c.keep(text[:pieceSize+pieceOverlap])
		text = text[pieceSize:]
	}
	c.keep(text)
}

func (c *collector) keep(values ...string) {
	if c.asked == "" {
		c.values = append(c.values, values...)
		return
	}
	c.isIn = c.isIn || slices.ContainsFunc(values, func(value string) bool { return strings.Contains(c.asked, value) })
}

// secretsIn returns the documents of a string in which a Secret is, and what they have of it. A
// string that names a Secret and can't be parsed has no documents, and counts as one with a Secret.
func secretsIn(text string) (documents []*tree.Node, inner collector) {
	names := func(word string) bool { return strings.Contains(text, word) }
	isNamed := names("Secret") && names("kind") && hasSecretWord([]byte(text))
	if !isNamed && (!names(`\`) || !hasEscape([]byte(text))) {
		return nil, inner
	}
	for document := range lines.Documents([]byte(strings.TrimPrefix(text, lines.ByteOrderMark))) {
		root, err := tree.Parse(document.Text)
		if err != nil {
			return nil, collector{holds: isNamed}
		}
		if root == nil || root.Kind == tree.ScalarNode && root.Text() == text {
			continue // a text that is not quoted, which would be looked into for ever
		}
		documents = append(documents, root)
		inner.object(root)
	}
	return documents, inner
}

// decodeBase64 returns what base64 stands for, also without padding or with line breaks, and the
// base64 without these.
func decodeBase64(text string) (decoded, bare string, ok bool) {
	bare = text
	if strings.ContainsAny(text, " \t\r\n") {
		bare = strings.Join(strings.Fields(text), "")
	}
	bare = strings.TrimRight(bare, "=")
	bytes, err := base64.RawStdEncoding.DecodeString(fromURL.Replace(bare))
	return string(bytes), bare, err == nil
}

// fromURL replaces the letters that base64 has in URLs.
var fromURL = strings.NewReplacer("-", "+", "_", "/")
