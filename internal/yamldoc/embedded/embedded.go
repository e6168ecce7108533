// Package embedded edits documents in strings of other documents: the application.yaml of a
// ConfigMap, a dashboard in JSON, the base64 of a Secret. An edit changes only the lines of its
// field, in the document and in the file around it.
package embedded

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Formats of the documents in a string.
const (
	Auto = "Auto" // JSON if the text is JSON, else YAML
	YAML = "YAML"
	JSON = "JSON"
)

// String is a string that holds documents.
type String struct {
	// Documents are those with a value; a string of blanks and comments has none.
	Documents []*Document
	outer     *object.Object
	text      string
	base64    *base64Layout // nil if the string is the text
	written   string        // the text as written in outer
}

// Document is one of the documents in a string.
type Document struct {
	*object.Object
	start int  // its offset in the text
	isNew bool // of a text that had none
}

// Error reports a string that holds no document.
type Error struct {
	// Line is the line of the fault in the text of the string, from 1; 0 if it is about the whole
	// string.
	Line   int
	Reason string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d of the string: %s", e.Line, e.Reason)
}

var (
	// quoted are the texts that a reason quotes.
	quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'`)
	// indicators are the quoted texts that are YAML's syntax, and no part of a value.
	indicators = []string{`','`, `']'`, `'}'`, `'-'`, `':'`, `"*"`}
)

// WithoutQuotes returns the error without what it quotes of the string, which in a Secret is a part
// of a value. The syntax that it expects stays.
func (e *Error) WithoutQuotes() *Error {
	reason := quoted.ReplaceAllStringFunc(e.Reason, func(text string) string {
		if slices.Contains(indicators, text) {
			return text
		}
		return redact.Masked
	})
	return &Error{Line: e.Line, Reason: reason}
}

// Open reads the documents in the string at a location of the object in its current state. The
// string is base64 in the data of a Secret and the binaryData of a ConfigMap. The error is an
// *Error.
func Open(outer *object.Object, at location.Location, format string) (*String, error) {
	return open(outer, outer.Root(), outer.At(at), at, format)
}

// open is Open for the node at the location of a root, which is the object in one of its states.
func open(outer *object.Object, root, n *tree.Node, at location.Location, format string) (*String, error) {
	if n == nil || n.Kind != tree.ScalarNode || tree.Type(n) != tree.String {
		return nil, &Error{Reason: "must be a string that holds a document, found a " + tree.Type(n)}
	}
	s := &String{outer: outer, text: n.Text()}
	switch {
	case !isBase64(root, at):
	case strings.HasPrefix(s.text, redact.Masked): // by kubectl diff
		s.text = ""
	default:
		var err error
		if s.text, s.base64, err = decodeBase64(n.Text()); err != nil {
			return nil, err
		}
	}
	s.written = s.text
	return s, s.parse(format)
}

// isBase64 tells whether Kubernetes has base64 at a location of an object.
func isBase64(root *tree.Node, at location.Location) bool {
	if len(at) != 2 || tree.GetString(root, "apiVersion") != "v1" {
		return false
	}
	switch tree.GetString(root, "kind") {
	case "Secret":
		return at[0].Key == "data"
	case "ConfigMap":
		return at[0].Key == "binaryData"
	}
	return false
}

// AddLike adds a document in the format of another one, an empty map, to a text without documents.
// It is written once something is in it.
func (s *String) AddLike(model *object.Object) {
	end := len(strings.TrimRight(s.text, " \t"))
	s.Documents = append(s.Documents, &Document{Object: object.NewLike(model, tree.NewMap()), start: end, isNew: true})
}

// Size is the length of the text in bytes.
func (s *String) Size() int { return len(s.text) }

// Write writes the edits of the documents into the object's string at a location.
func (s *String) Write(at location.Location) error {
	splices, err := s.splices()
	if err != nil {
		return err
	}
	edited := object.Spliced(s.text, splices)
	if edited == s.written {
		return nil
	}
	if len(s.Documents) > 0 && s.Documents[0].isNew && !s.holds(edited) {
		return &Error{Reason: "has no document, and a comment or marker in it that no document can follow"}
	}
	s.written = edited
	if ended := s.ended(edited); ended != edited && s.holds(ended) {
		if s.base64 == nil && s.outer.SpliceString(at, splices, ended) {
			return nil
		}
		if trimmed := s.trimmed(splices); s.holds(object.Spliced(s.text, trimmed)) {
			splices, edited = trimmed, object.Spliced(s.text, trimmed)
		}
	}
	if s.base64 != nil {
		edited, splices = s.base64.encode(edited)
	}
	if s.outer.SpliceString(at, splices, edited) {
		return nil
	}
	return s.outer.Set(at, tree.NewString(edited))
}

// splices returns the edits of all documents as splices of the text. A document that is rewritten
// has no line break at its end, or one.
func (s *String) splices() ([]object.Splice, error) {
	var all []object.Splice
	for _, d := range s.Documents {
		if d.isNew && len(d.Root().Content) == 0 {
			continue
		}
		splices, err := d.Splices()
		if err != nil {
			return nil, err
		}
		if d.isNew {
			splices = s.onOwnLine(d, splices)
		}
		for _, p := range splices {
			all = append(all, object.Splice{Start: p.Start + d.start, End: p.End + d.start, Text: p.Text})
		}
	}
	if last := len(all) - 1; last >= 0 && all[last].End == len(s.text) && strings.HasSuffix(s.text, "\n") {
		if text := all[last].Text; len(text) > 0 && text[len(text)-1] != '\n' {
			all[last].Text = slices.Concat(text, []byte(s.text[len(strings.TrimRight(s.text, "\r\n")):]))
		}
	}
	return all, nil
}

// onOwnLine returns the splice that writes a new document on a line of its own, in place of the
// blanks at the end of the text.
func (s *String) onOwnLine(d *Document, whole []object.Splice) []object.Splice {
	text := whole[0].Text
	if d.start > 0 && s.text[d.start-1] != '\n' {
		text = slices.Concat([]byte("\n"), text)
	}
	return []object.Splice{{End: len(s.text) - d.start, Text: text}}
}

// ended returns the edited text with at most as many line breaks at its end as a block scalar keeps
// that holds the text as it came in: none or one.
func (s *String) ended(edited string) string {
	body := strings.TrimRight(edited, "\r\n")
	if !strings.HasSuffix(s.text, "\n") {
		return body
	}
	rest := edited[len(body):]
	return body + rest[:strings.IndexByte(rest, '\n')+1]
}

// trimmed returns splices without the line breaks that they leave at the end of a text that had
// none.
func (s *String) trimmed(splices []object.Splice) []object.Splice {
	trimmed := slices.Clone(splices)
	last := &trimmed[len(trimmed)-1]
	if last.End < len(s.text) || strings.HasSuffix(s.text, "\n") {
		return splices
	}
	last.Text = bytes.TrimRight(last.Text, "\r\n")
	if len(last.Text) > 0 {
		return trimmed
	}
	before := 0
	if len(trimmed) > 1 {
		before = trimmed[len(trimmed)-2].End
	}
	last.Start = before + len(strings.TrimRight(s.text[before:last.Start], "\r\n"))
	return trimmed
}

// holds tells whether a text has the edited documents: the last line break may belong to a block
// scalar.
func (s *String) holds(text string) bool {
	parsed := &String{text: text}
	if err := parsed.parse(Auto); err != nil || len(parsed.Documents) != len(s.Documents) {
		return false
	}
	for i, d := range s.Documents {
		if !tree.Equal(d.Root(), parsed.Documents[i].Root()) {
			return false
		}
	}
	return true
}

// maxSize bounds the total length in bytes of the strings that are opened in an object, those
// inside documents included.
const maxSize = 64 << 20

// Opener opens the strings of one object and of the documents in them, each once, so that several
// rules edit the same documents. The zero Opener has opened none.
type Opener struct {
	// strings are by their nodes as they are now.
	strings map[*tree.Node]*String
	size    int
}

// Open returns the string at a location of an object, with the edits so far. The error is an
// *Error.
func (p *Opener) Open(o *object.Object, at location.Location, format string) (*String, error) {
	n := o.At(at)
	if s, ok := p.strings[n]; ok {
		return s, nil
	}
	if n != nil {
		p.size += len(n.Text())
	}
	if p.size > maxSize {
		return nil, &Error{Reason: fmt.Sprintf("the documents in strings of an object must have at most %d bytes together", maxSize)}
	}
	return Open(o, at, format)
}

// Write writes the edits of the documents into the string at a location of an object.
func (p *Opener) Write(o *object.Object, s *String, at location.Location) error {
	before := o.At(at)
	if err := s.Write(at); err != nil {
		return err
	}
	if p.strings == nil {
		p.strings = map[*tree.Node]*String{}
	}
	delete(p.strings, before)
	p.strings[o.At(at)] = s
	return nil
}
