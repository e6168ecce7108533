package redact

import (
	"bytes"
	"encoding/json"
	"strings"

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
// the other side. Keys and structure stay. Of what an edit has added, parts of values are hidden,
// or all of it. So is the annotation named hash of an object with a Secret.
func (m Mask) Copies(before, after *tree.Node, edits Edits, hash string) (maskedBefore, maskedAfter *tree.Node) {
	c := copier{mask: m, hash: hash, mark: " (before)"}
	maskedBefore = c.copy(before, after, anObject)
	c.mark = " (after)"
	c.hidesNew = edits == HiddenEdits
	if edits == ShownEdits && before != nil {
		fragments := New(before).Fragments()
		c.fragments = &fragments
	}
	return maskedBefore, c.copy(after, before, anObject)
}

// copier copies one side.
type copier struct {
	mask Mask
	hash string
	mark string
	// fragments are the parts of values that an edit may have put elsewhere; nil without an edit.
	fragments *Fragments
	// hidesNew is true if what the other side does not have is hidden.
	hidesNew bool
}

// role is what a node is in its object.
type role int

const (
	anObject          role = iota // an object, or something in one
	aSecret                       // a Secret
	itsMetadata                   // of an object
	itsAnnotations                // of an object
	secretMetadata                // the metadata of a Secret
	secretAnnotations             // the annotations of a Secret
	secretItems                   // the items of a SecretList
	base64Strings                 // strings of base64
	hiddenValues                  // values of a Secret
)

// copy copies n, which has a role; other is what the other side has in its place, or nil.
func (c *copier) copy(n, other *tree.Node, is role) *tree.Node {
	n, other = tree.Deref(n), tree.Deref(other)
	if n == nil {
		return nil
	}
	switch n.Kind {
	case tree.MappingNode:
		return c.mapping(n, other, is)
	case tree.SequenceNode:
		return c.sequence(n, other, is)
	}
	return c.scalar(n, other, is)
}

func (c *copier) mapping(n, other *tree.Node, is role) *tree.Node {
	if is == secretItems || is == anObject && isSecret(n) {
		is = aSecret
	}
	others := map[string]*tree.Node{}
	if tree.IsMap(other) {
		for key, value := range tree.Entries(other) {
			others[key] = value
		}
	}
	masked := &tree.Node{Kind: n.Kind, Tag: n.Tag, Style: n.Style}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := tree.Deref(n.Content[i])
		theirs, isOld := others[key.Text()]
		inside := c.roleOf(n, key.Text(), is)
		if tree.IsMergeKey(n.Content[i]) {
			inside, isOld = is, true
		}
		shown := tree.NewScalar(key.Tag, key.Text())
		shown.Style = key.Style
		if !isOld && c.hidesNew {
			shown = tree.NewString(Masked)
		} else if !isOld && c.fragments != nil {
			shown = tree.NewString(c.fragments.Text(c.mask.Text(key.Text())))
		}
		masked.Content = append(masked.Content, shown, c.copy(n.Content[i+1], theirs, inside))
	}
	return masked
}

// roleOf returns the role of a member of a map.
func (c *copier) roleOf(n *tree.Node, key string, is role) role {
	switch {
	case is == hiddenValues, is == base64Strings:
		return is
	case is == aSecret && (key == "data" || key == "stringData"):
		return hiddenValues
	case is == aSecret && key == "metadata":
		return secretMetadata
	case is == secretMetadata && key == "annotations":
		return secretAnnotations
	case is == secretAnnotations && key == lastApplied, (is == secretAnnotations || is == itsAnnotations) && key == c.hash:
		return hiddenValues
	case key == "items" && isSecretList(n):
		return secretItems
	case key == "binaryData":
		return base64Strings
	case is == anObject && key == "metadata":
		return itsMetadata
	case is == itsMetadata && key == "annotations":
		return itsAnnotations
	}
	return anObject
}

func (c *copier) sequence(n, other *tree.Node, is role) *tree.Node {
	theirs := tree.Elements(other)
	masked := &tree.Node{Kind: n.Kind, Tag: n.Tag, Style: n.Style}
	for i, element := range n.Content {
		var counterpart *tree.Node
		if i < len(theirs) {
			counterpart = theirs[i]
		}
		masked.Content = append(masked.Content, c.copy(element, counterpart, is))
	}
	return masked
}

func (c *copier) scalar(n, other *tree.Node, is role) *tree.Node {
	switch {
	case tree.Type(n) == tree.Null:
		return tree.NewScalar(n.Tag, n.Text())
	case is == hiddenValues, c.hidesNew && (other == nil || !tree.Equal(n, other)):
		return c.hide(n, other)
	case is == base64Strings:
		if text, ok := decodeBase64(n.Text()); ok {
			if _, holds := secretDocuments(text); holds {
				return c.hide(n, other)
			}
		}
	}
	if documents, holds := secretDocuments(n.Text()); holds && tree.Type(n) == tree.String {
		return c.documents(n, other, documents)
	}
	shown := c.mask.Text(n.Text())
	if c.fragments != nil && (other == nil || other.Text() != n.Text()) {
		shown = c.fragments.Text(shown)
	}
	if shown != n.Text() {
		return tree.NewString(shown)
	}
	same := tree.NewScalar(n.Tag, n.Text())
	same.Style = n.Style
	return same
}

// hide stands for a value, with the mark if the other side has another one in its place.
func (c *copier) hide(n, other *tree.Node) *tree.Node {
	if other == nil || tree.Equal(n, other) {
		return tree.NewString(Masked)
	}
	return tree.NewString(Masked + c.mark)
}

// documents writes the documents of a string anew. One that can't be parsed or written is hidden
// whole.
func (c *copier) documents(n, other *tree.Node, documents []*tree.Node) *tree.Node {
	var theirs []*tree.Node
	if other != nil && other.Kind == tree.ScalarNode {
		theirs, _ = secretDocuments(other.Text())
	}
	var texts []string
	for i, document := range documents {
		var counterpart *tree.Node
		if i < len(theirs) {
			counterpart = theirs[i]
		}
		text, err := textOf(c.copy(document, counterpart, anObject), n.Text())
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
