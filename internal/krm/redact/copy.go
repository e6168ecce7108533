package redact

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Copies returns copies of two sides of the object, one of which may be nil, as they may be shown:
// each hidden value is ***, also in a document inside a string, with a mark where it differs from
// the other side. Keys and structure stay.
func (o Object) Copies(before, after *tree.Node) (maskedBefore, maskedAfter *tree.Node) {
	c := copier{object: o, mark: " (before)"}
	maskedBefore = c.copy(before, after, anObject, o.edits)
	c.mark = " (after)"
	return maskedBefore, c.copy(after, before, anObject, o.edits)
}

// Hidden returns the scalars of a side that Copies does not show as they are, also those that
// aliases name.
func (o Object) Hidden(side *tree.Node) []*tree.Node {
	if !o.HasSecret() {
		return nil
	}
	masked, _ := o.Copies(side, nil)
	return changed(side, masked, nil)
}

// changed appends the scalars of n that a masked copy of it does not show as they are.
func changed(n, masked *tree.Node, all []*tree.Node) []*tree.Node {
	n = tree.Deref(n)
	for i, child := range masked.Content {
		all = changed(n.Content[i], child, all)
	}
	if n.Text() != masked.Text() {
		all = append(all, n)
	}
	return all
}

// copier makes a masked copy of one side.
type copier struct {
	object Object
	mark   string
}

// copy copies n, which has a role; other is what the other side has in its place, or nil, and at
// is its place in what was edited.
func (c *copier) copy(n, other *tree.Node, is role, at edits) *tree.Node {
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
			key := tree.Deref(n.Content[i])
			shown, inside := key.Bare(), at
			if is == named {
				shown = tree.NewString(c.object.Text(key.Text()))
			} else if !tree.IsMergeKey(n.Content[i]) {
				if inside = at.step(location.Key(key.Text())); c.object.hidesKey(key.Text(), inside) {
					shown = tree.NewString(Masked)
				}
			}
			masked.Content = append(masked.Content, shown, c.copy(n.Content[i+1], others[key.Text()], is.ofEntry(n, i), inside))
		}
	case tree.SequenceNode:
		theirs := filled(tree.Elements(other), len(n.Content))
		for i, element := range n.Content {
			masked.Content = append(masked.Content, c.copy(element, theirs[i], is, at.step(location.Index(i))))
		}
	default:
		return c.scalar(n, other, is, at)
	}
	return masked
}

// filled appends as many times nil.
func filled(nodes []*tree.Node, count int) []*tree.Node {
	return slices.Concat(nodes, make([]*tree.Node, count))
}

func (c *copier) scalar(n, other *tree.Node, is role, at edits) *tree.Node {
	text := n.Text()
	switch {
	case tree.Type(n) == tree.Null:
		return n.Bare()
	case is.isHidden(), at.hides(n), c.object.HasSecret() && (is == hashText || is == annotations && isHash(text)):
		return c.hide(n, other)
	case is == base64Strings:
		decoded, _, _ := decodeBase64(text)
		if _, inner := secretsIn(decoded); inner.holds {
			return c.hide(n, other)
		}
	}
	if documents, inner := secretsIn(text); inner.holds && tree.Type(n) == tree.String {
		return c.documents(n, other, documents)
	}
	if is != named && (c.object.holds && c.object.isIn(text) || c.object.copied.has(text)) {
		return c.hide(n, other) // whole, since the rest would tell the value
	}
	return n.Bare()
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
		text, err := textOf(c.copy(document, theirs[i], anObject, nil), n.Text())
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
	if !lines.LooksLikeJSON(like) {
		w := tree.BlockWriter{MapStep: 2}
		w.Document(document)
		return string(w.Text), nil
	}
	text, err := tree.MarshalJSON(document)
	if err != nil || !strings.Contains(strings.TrimSpace(like), "\n") {
		return string(text), err
	}
	err = json.Indent(&out, text, "", "  ")
	return out.String() + "\n", err
}
