package redact

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Edits says how an object that was edited is shown.
type Edits int

const (
	NoEdits     Edits = iota // the sides have nothing to do with each other
	ShownEdits               // an edit may have put parts of the object's values elsewhere
	HiddenEdits              // an edit may have put values of other objects anywhere
)

// Copies returns copies of an object before and after, one of which may be nil, to be shown: each
// value of a Secret is ***, also in a document inside a string, with a mark where it differs from
// the other side. Keys and structure stay. Of what an edit has added, texts with parts of values
// are hidden, or all of it. So is the annotation named hash of an object with a Secret.
func (m Mask) Copies(before, after *tree.Node, edits Edits, hash string) (maskedBefore, maskedAfter *tree.Node) {
	c := copier{mask: m, hash: hash, mark: " (before)"}
	maskedBefore = c.copy(before, after, anObject)
	c.mark = " (after)"
	c.hidesNew = edits == HiddenEdits
	if edits == ShownEdits && before != nil {
		c.parts = sync.OnceValues(func() (ofValues, public []uint32) { // most edits put nothing elsewhere
			texts := map[string]bool{}
			addTexts(texts, maskedBefore, false)
			return partsOf(slices.Values(m.values)), partsOf(maps.Keys(texts))
		})
	}
	return maskedBefore, c.copy(after, before, anObject)
}

// partSize is the size in bytes of the parts of values that an edit must not show elsewhere.
const partSize = 4

// partsOf returns the parts of texts, as numbers, sorted.
func partsOf(texts iter.Seq[string]) []uint32 {
	var parts []uint32
	for text := range texts {
		for i := range len(text) - partSize + 1 {
			parts = append(parts, binary.LittleEndian.Uint32([]byte(text[i:i+partSize])))
		}
	}
	slices.Sort(parts)
	return slices.Compact(parts)
}

// copier makes a masked copy of one side.
type copier struct {
	mask Mask
	hash string
	mark string
	// parts are those of values, which an edit may have put elsewhere, and those of other texts;
	// nil without an edit.
	parts func() (ofValues, public []uint32)
	// hidesNew is true if what the other side does not have is hidden.
	hidesNew bool
}

// copy copies n, which has a role; other is what the other side has in its place, or nil.
func (c *copier) copy(n, other *tree.Node, is role) *tree.Node {
	n, other = tree.Deref(n), tree.Deref(other)
	if n == nil {
		return nil
	}
	masked := n.Bare()
	switch n.Kind {
	case tree.MappingNode:
		is = is.ofMap(n)
		others := maps.Collect(tree.Entries(other))
		for i := 0; i+1 < len(n.Content); i += 2 {
			masked.Content = append(masked.Content, c.member(n, i, others, is)...)
		}
	case tree.SequenceNode:
		theirs := filled(tree.Elements(other), len(n.Content))
		for i, element := range n.Content {
			masked.Content = append(masked.Content, c.copy(element, theirs[i], is))
		}
	default:
		return c.scalar(n, other, is)
	}
	return masked
}

// filled appends as many times nil.
func filled(nodes []*tree.Node, count int) []*tree.Node {
	return slices.Concat(nodes, make([]*tree.Node, count))
}

// member returns the key and the value of a member of the map n.
func (c *copier) member(n *tree.Node, i int, others map[string]*tree.Node, is role) []*tree.Node {
	key := tree.Deref(n.Content[i])
	theirs, isOld := others[key.Text()]
	inside, shown := is.ofEntry(n, i), key.Bare()
	if key.Text() == c.hash {
		inside = derivedText
	}
	if !isOld && !tree.IsMergeKey(n.Content[i]) && c.hidesEdit(key.Text()) {
		shown = tree.NewString(Masked)
	}
	return []*tree.Node{shown, c.copy(n.Content[i+1], theirs, inside)}
}

// hidesEdit tells whether a text that the other side does not have is hidden.
func (c *copier) hidesEdit(text string) bool {
	if c.parts == nil {
		return c.hidesNew
	}
	ofValues, public := c.parts()
	return c.mask.Text(text) != text || slices.ContainsFunc(partsOf(slices.Values([]string{text})), func(part uint32) bool {
		_, isOfValue := slices.BinarySearch(ofValues, part)
		_, isPublic := slices.BinarySearch(public, part)
		return isOfValue && !isPublic
	})
}

func (c *copier) scalar(n, other *tree.Node, is role) *tree.Node {
	same := n.Bare()
	isNew := other == nil || !tree.Equal(n, other)
	switch {
	case tree.Type(n) == tree.Null:
		return same
	case is.isHidden(), isNew && c.hidesNew:
		return c.hide(n, other)
	case is == base64Strings:
		text, _, _ := decodeBase64(n.Text())
		if _, inner := secretsIn(text); inner.holds {
			return c.hide(n, other)
		}
	}
	if documents, inner := secretsIn(n.Text()); inner.holds && tree.Type(n) == tree.String {
		return c.documents(n, other, documents)
	}
	if isNew && c.hidesEdit(n.Text()) {
		return c.hide(n, other)
	}
	if shown := c.mask.Text(n.Text()); shown != n.Text() {
		return tree.NewString(shown)
	}
	return same
}

// hide stands for a value, with the mark if the other side has another one in its place.
func (c *copier) hide(n, other *tree.Node) *tree.Node {
	if other == nil || tree.Equal(n, other) {
		return tree.NewString(Masked)
	}
	return tree.NewString(Masked + c.mark)
}

// documents writes the documents of a string anew. A string whose documents can't be parsed or
// written is hidden whole.
func (c *copier) documents(n, other *tree.Node, documents []*tree.Node) *tree.Node {
	var theirs []*tree.Node
	if other != nil && other.Kind == tree.ScalarNode {
		theirs, _ = secretsIn(other.Text())
	}
	theirs = filled(theirs, len(documents))
	var texts []string
	for i, document := range documents {
		text, err := textOf(c.copy(document, theirs[i], anObject), n.Text())
		if err != nil {
			return c.hide(n, other)
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return c.hide(n, other)
	}
	return tree.NewString(strings.Join(texts, "---\n"))
}

// textOf writes a document, as JSON if the string that it is from is JSON.
func textOf(document *tree.Node, like string) (string, error) {
	var out bytes.Buffer
	if trimmed := strings.TrimLeft(like, " \t\r\n\ufeff"); !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		encoder := yaml.NewEncoder(&out)
		encoder.SetIndent(2)
		encoder.CompactSeqIndent()
		err := encoder.Encode(document)
		return out.String(), err
	}
	text, err := tree.MarshalJSON(document)
	if err != nil || !strings.Contains(strings.TrimSpace(like), "\n") {
		return string(text), err
	}
	err = json.Indent(&out, text, "", "  ")
	return out.String() + "\n", err
}
