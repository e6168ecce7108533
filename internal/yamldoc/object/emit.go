package object

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// EmitError reports an object that could not be written.
type EmitError struct {
	Reason string
}

func (e *EmitError) Error() string {
	return "the object can't be written as YAML: " + e.Reason
}

// emitted writes the whole object from its tree, with the comments of the input text. If the YAML
// library writes a comment so that the data changes, the comments are left out.
func (o *Object) emitted(root *tree.Node) ([]byte, error) {
	if o.format == jsonText {
		return tree.MarshalJSON(root)
	}
	withComments := root
	if o.base() != nil {
		if commented := o.commentedOriginal(); commented != nil {
			withComments = o.rebuild(o.original, root, commented)
		}
	}
	text, err := o.write(withComments)
	if err == nil && o.verify(text, root) {
		return text, nil
	}
	bare := tree.CopyNodes(withComments)
	clearComments(bare)
	spellOut(bare, false)
	if text, err = o.write(bare); err == nil && o.verify(text, root) {
		return text, nil
	}
	quoteStrings(bare)
	if text, err = o.write(bare); err != nil {
		return nil, &EmitError{Reason: err.Error()}
	}
	if !o.verify(text, root) {
		return nil, &EmitError{Reason: "what was written does not parse to the same data"}
	}
	return text, nil
}

// quoteStrings gives each string in n the style that can hold any.
func quoteStrings(n *tree.Node) {
	if n.Kind == tree.ScalarNode && tree.Type(n) == tree.String && n.Style&tree.TaggedStyle == 0 {
		n.Style = tree.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		quoteStrings(child)
	}
}

// commentedOriginal returns the input tree with its comments, or nil.
func (o *Object) commentedOriginal() *tree.Node {
	if o.detached {
		return o.original
	}
	root, err := tree.ParseWithComments(o.source())
	if err != nil || root == nil {
		return nil
	}
	if o.format == listItem {
		root = onlyElement(root)
	}
	return root
}

// rebuild returns edited with the nodes of commented, which has the shape of old, instead of old's.
func (o *Object) rebuild(old, edited, commented *tree.Node) *tree.Node {
	if edited == old {
		return commented
	}
	if o.origins[edited] != old || old.Kind != commented.Kind || len(old.Content) != len(commented.Content) {
		return withLineComment(edited, commented)
	}
	c := *edited
	c.SetComments(commented.Comments())
	c.Content = make([]*tree.Node, len(edited.Content))
	before := indicesOf(old.Content)
	var keys tree.KeyTable
	for i, child := range edited.Content {
		if j, stays := before.of(child, o.origins); stays {
			c.Content[i] = o.rebuild(old.Content[j], child, commented.Content[j])
			continue
		}
		c.Content[i] = child
		if edited.Kind == tree.MappingNode && i%2 == 1 {
			// a new value keeps the line comment of the old one
			if j := keys.Index(old.Content, tree.Deref(edited.Content[i-1]).Text()); j >= 0 {
				c.Content[i] = withLineComment(child, commented.Content[j+1])
			}
		}
	}
	return &c
}

// withLineComment returns a scalar that replaces another one with the other's line comment.
func withLineComment(edited, commented *tree.Node) *tree.Node {
	comments, line := edited.Comments(), commented.Comments().Line
	if edited.Kind != tree.ScalarNode || line == "" || comments.Line != "" {
		return edited
	}
	c := *edited
	comments.Line = line
	c.SetComments(comments)
	return &c
}

// write writes root in the object's format.
func (o *Object) write(root *tree.Node) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil { // the encoder panics on nodes that it can't write
			err = fmt.Errorf("%v", p)
		}
	}()
	s := styleOf(o.source(), o.original)
	if o.format == document {
		text, err = s.encode(root)
		head, tail := o.markers()
		return slices.Concat(head, text, tail), err
	}
	return s.entryText(nil, root, o.depth())
}

// markers returns the directives and markers before and behind the content of a document, which may
// be one of several in a string.
func (o *Object) markers() (head, tail []byte) {
	if o.original == nil {
		return nil, nil
	}
	source := o.source()
	for line := range bytes.Lines(source[:o.original.Start()]) {
		if line[0] == '%' {
			head = append(head, line...)
		} else if bytes.HasPrefix(line, []byte("---")) {
			head = append(head, "---\n"...)
		}
	}
	if bytes.Contains(source[o.original.Start():], []byte("\n...")) {
		tail = []byte("...\n")
	}
	return head, tail
}

// depth is the number of spaces before the item's dash.
func (o *Object) depth() int {
	for line := range bytes.Lines(o.base()) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte{'-'}) {
			return indent(string(line))
		}
	}
	return o.newDepth
}
