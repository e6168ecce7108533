package embedded

import (
	"errors"
	"strings"

	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// parse reads the documents in the text.
func (s *String) parse(format string) error {
	if strings.TrimSpace(s.text) == "" {
		return nil
	}
	text := strings.TrimPrefix(s.text, lines.ByteOrderMark) // a byte order mark belongs to no document
	mark := len(s.text) - len(text)
	if format == JSON || format != YAML && lines.LooksLikeJSON(text) {
		d, err := object.ParseJSON([]byte(text))
		if err == nil {
			return s.add(d, mark, 1)
		}
		if format == JSON {
			return faultIn(text, err, 0)
		}
	}
	for _, p := range split(text) {
		d, err := object.ParseDocument([]byte(text[p.start:p.end]))
		if err != nil {
			return faultIn(text, err, p.line-1)
		}
		if err := s.add(d, mark+p.start, p.line); err != nil {
			return err
		}
	}
	return nil
}

// comment is one of programs that read more than JSON.
var comment = words.Pattern(`(?m)(?:^|[,{}\[\]"\w])\s*(?://|/\*)[^"\n]*$`)

// add adds a document that begins at an offset and a line of the text, unless it has no value.
func (s *String) add(d *object.Object, start, line int) error {
	root := d.Root()
	switch {
	case root == nil:
		return nil
	case !tree.IsMap(root) && !tree.IsList(root):
		return &Error{Line: line, Reason: "a document must be a map or a list, found a " + tree.Type(root) + "; select only strings that hold documents"}
	}
	d.FirstLine = line
	s.Documents = append(s.Documents, &Document{Object: d, start: start})
	return nil
}

// faultIn moves the line of a document's syntax error by the number of lines before the document.
func faultIn(text string, err error, before int) error {
	fault := &Error{Line: before + 1, Reason: err.Error()}
	if syntax, ok := errors.AsType[*tree.SyntaxError](err); ok {
		fault = &Error{Line: before + syntax.Line, Reason: syntax.Reason}
	}
	if lines.LooksLikeJSON(text) && comment().MatchString(text) {
		fault.Reason += "; JSON has no comments such as // or /* */"
	}
	return fault
}

// documentSpan is the part of a text that is one document; line is its first line, from 1.
type documentSpan struct {
	start, end, line int
}

// split cuts a text at the lines that end YAML documents, `---` and `...`. A part with only
// comments and directives belongs to the next document.
func split(text string) []documentSpan {
	parts := []documentSpan{{line: 1}}
	cut := func(at int) {
		last := &parts[len(parts)-1]
		last.end = at
		parts = append(parts, documentSpan{start: at, line: last.line + strings.Count(text[last.start:at], "\n")})
	}
	hasContent := false
	for d := range lines.Documents([]byte(text)) {
		if hasContent {
			cut(d.Start)
		}
		hasContent = false
		for rest, at := d.Text, d.Start+len(d.Marker); len(rest) > 0; {
			end := lines.DocumentEnd(rest)
			hasContent = hasContent || lines.HasContent(rest[:end])
			if end == len(rest) {
				break
			}
			end += len(lines.At(rest, end))
			at, rest = at+end, rest[end:]
			if hasContent {
				cut(at)
				hasContent = false
			}
		}
	}
	parts[len(parts)-1].end = len(text)
	return parts
}
