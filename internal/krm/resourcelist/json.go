package resourcelist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// jsonList is a list in JSON, cut into its items.
type jsonList struct {
	text           []byte
	items, results jsonArray
	// end is the offset behind the last member.
	end int
	// objects are the items of the input.
	objects []*object.Object
	layout  jsonLayout
}

// readJSON cuts the text into items without parsing them. It returns false if the text is no list
// in JSON; jsonFault says why. List.isVerified tells whether every item is valid.
func readJSON(text []byte, check check) (*List, bool) {
	text = bytes.TrimLeft(text, "\ufeff")
	if !json.Valid(text) {
		return nil, false
	}
	j := cutJSON(text)
	if j.tooManyElements() != nil {
		return nil, false
	}
	root, err := tree.ParseJSON(j.envelope())
	if err != nil {
		return nil, false
	}
	envelope, err := readEnvelope(root, check)
	if err != nil || checkItems(root) != nil || !j.hasValidResults() {
		return nil, false
	}
	j.objects = object.JSONItems(len(j.items.elements), func(i int) []byte { return j.items.elements[i].of(text) })
	return &List{Items: slices.Clone(j.objects), FunctionConfig: envelope.functionConfig, layout: j}, true
}

// jsonFault returns the *Error that says why the text is no list in JSON; nil if it is one.
func jsonFault(text []byte, check check) error {
	text = bytes.TrimLeft(text, "\ufeff")
	if json.Valid(text) {
		j := cutJSON(text)
		if err := j.tooManyElements(); err != nil {
			return err
		}
		if err := j.elementFault(); err != nil {
			return wireError(err)
		}
		text = j.envelope()
	}
	root, err := tree.ParseJSON(text)
	if err != nil {
		return wireError(err)
	}
	if _, err := readEnvelope(root, check); err != nil {
		return err
	}
	return checkItems(root)
}

func checkItems(root *tree.Node) error {
	items := tree.Get(root, "items")
	if t := tree.Type(items); t != tree.List && t != tree.Null {
		return &Error{Line: lineOf(items), Reason: "items must be a list, found a " + t}
	}
	return nil
}

// tooManyElements returns an *Error if there are too many items or results; else nil.
func (j *jsonList) tooManyElements() error {
	limit := maxItems(len(j.text))
	for _, m := range j.members() {
		if len(m.elements) > limit {
			line := 1 + bytes.Count(j.text[:m.elements[limit].start], []byte{'\n'})
			return &Error{Line: line, Reason: fmt.Sprintf("a list of %d bytes must have at most %d %s", len(j.text), limit, m.key)}
		}
	}
	return nil
}

// elementFault returns the *tree.SyntaxError of the first item or result that can't be parsed, with
// its line in the text.
func (j *jsonList) elementFault() error {
	line, at := 1, 0
	for _, m := range j.members() {
		for _, e := range m.elements {
			line += bytes.Count(j.text[at:e.start], []byte{'\n'})
			at = e.start
			if syntax, ok := errors.AsType[*tree.SyntaxError](j.elementErr(e)); ok {
				return &tree.SyntaxError{Line: line + syntax.Line - 1, Reason: syntax.Reason}
			}
		}
	}
	return nil
}

// elementErr returns the *tree.SyntaxError of an item or result, with a line of its own text; nil
// if it is valid.
func (j *jsonList) elementErr(e span) error {
	memory := tree.NewMemory()
	defer memory.Free()
	_, err := memory.ParseJSON(e.of(j.text), object.JSONDepth)
	return err
}

// envelope returns the text with only the line breaks of its items and results, so that its lines
// are those of the text.
func (j *jsonList) envelope() []byte {
	var out bytes.Buffer
	at := 0
	for _, m := range j.members() {
		if n := len(m.elements); n > 0 {
			out.Write(j.text[at:m.elements[0].start])
			at = m.elements[n-1].end
			lines := bytes.Count(j.text[m.elements[0].start:at], []byte{'\n'})
			out.Write(bytes.Repeat([]byte{'\n'}, lines))
		}
	}
	out.Write(j.text[at:])
	return out.Bytes()
}

// hasValidResults tells whether each result of the input could be parsed.
func (j *jsonList) hasValidResults() bool {
	return parallel.Each(len(j.results.elements), func(i int) error { return j.elementErr(j.results.elements[i]) }) == nil
}
