package manifests

import (
	"bytes"
	"errors"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// document is one document of a file, with the marker line `---` before it.
type document struct {
	marker, text []byte
	// items are the objects: one, several in a List, or none.
	items []*object.Object
	// list is set for a document that is a List. Of its items, those that are no objects are not
	// among items.
	list *resourcelist.List
	// bare is the kind of a map that has one and no apiVersion, and bareLine its line.
	bare     string
	bareLine int
	// fault is the error of parsing it.
	fault *tree.SyntaxError
}

// split cuts a file at the document markers.
func split(text []byte) []document {
	var documents []document
	for d := range lines.Documents(text) {
		documents = append(documents, document{marker: d.Marker, text: d.Text})
	}
	return documents
}

// parse finds the objects of the document.
func (d *document) parse(isObjectToo func(root *tree.Node) bool) *tree.SyntaxError {
	if d.isEmpty() {
		return nil
	}
	isObject := func(o *object.Object) bool { return o.IsObject() || isObjectToo != nil && isObjectToo(o.Root()) }
	if list, ok := resourcelist.ReadCutList(d.text); ok {
		d.setList(list, isObject)
		return nil
	}
	o, err := d.value()
	if err != nil {
		return syntaxError(err)
	}
	if resourcelist.HoldsObjects(o.Root()) {
		list, err := resourcelist.ReadWholeList(d.text)
		if err == nil {
			d.setList(list, isObject)
		}
		return syntaxError(err)
	}
	return syntaxError(o.Use(func() {
		switch kind := tree.Get(o.Root(), "kind"); {
		case isObject(o):
			d.items = []*object.Object{o}
		case object.IsName(kind) && tree.Get(o.Root(), "apiVersion") == nil:
			d.bare, d.bareLine = kind.Text(), kind.Line()
		}
	}))
}

// setList sets the objects of a list.
func (d *document) setList(list *resourcelist.List, isObject func(*object.Object) bool) {
	d.list = list
	d.items = slices.DeleteFunc(slices.Clone(list.Items), func(o *object.Object) bool { return !isObject(o) })
}

// value parses the document as one value, as JSON if it is JSON.
func (d *document) value() (*object.Object, error) {
	if trimmed := bytes.TrimSpace(d.text); trimmed[0] == '{' {
		if o, err := object.ParseJSON(d.text); err == nil {
			return o, nil
		}
	}
	return object.ParseDocument(d.text)
}

// firstLines returns for each item the line of the document, from 1, at which its own line numbers
// start.
func (d *document) firstLines() []int {
	if d.list != nil {
		return d.list.FirstLines()
	}
	return slices.Repeat([]int{1}, len(d.items))
}

// isEmpty tells whether the document has nothing but comments, directives and blank lines.
func (d *document) isEmpty() bool { return !lines.HasContent(d.text) }

// setLeads gives the first object of each document the comments of the preceding documents without
// a value, and the marker line behind those; the marker line alone if it has a comment. Comments
// before the first document are given, and those behind the last object are returned.
func setLeads(documents []document, lead []byte) []byte {
	for _, d := range documents {
		if len(d.items) > 0 {
			if len(lead) > 0 || bytes.IndexByte(d.marker, '#') >= 0 {
				lead = append(lead, d.marker...)
			}
			d.items[0].Lead = lead
			lead = nil
			continue
		}
		comments := d.comments()
		if len(comments) > 0 && len(lead) > 0 {
			lead = append(lead, d.marker...)
		}
		lead = append(lead, comments...)
	}
	return lead
}

// comments returns the text of a document that has nothing but comments, without its directives;
// nil for another one.
func (d *document) comments() []byte {
	if !d.isEmpty() || bytes.IndexByte(d.text, '#') < 0 {
		return nil
	}
	var comments []byte
	for line := range bytes.Lines(d.text) {
		if content := bytes.TrimSpace(line); len(content) == 0 || content[0] == '#' {
			comments = append(comments, line...)
		}
	}
	return comments
}

func syntaxError(err error) *tree.SyntaxError {
	if err == nil {
		return nil
	}
	if syntax, ok := errors.AsType[*tree.SyntaxError](err); ok {
		return syntax
	}
	if wireError, ok := errors.AsType[*resourcelist.Error](err); ok {
		return &tree.SyntaxError{Line: wireError.Line, Reason: wireError.Reason}
	}
	return &tree.SyntaxError{Line: 1, Reason: err.Error()}
}
