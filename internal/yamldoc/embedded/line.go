package embedded

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Lines finds lines of fields in the strings of input objects, each of which it opens once.
type Lines struct{ opened map[*tree.Node]opened }

// opened is a string, with the line of the file of each of its lines.
type opened struct {
	*String
	lines []int
}

// Of returns the line of the file on which the innermost of the places begins, in the string at a
// location of the input object; 0 if it is not known.
func (l *Lines) Of(o *object.Object, at location.Location, inner []InnerLocation) int {
	if len(inner) == 0 {
		return o.LineAt(at)
	}
	s := l.open(o, at)
	if s.String == nil || inner[0].Document >= len(s.Documents) {
		return 0
	}
	line := l.Of(s.Documents[inner[0].Document].Object, inner[0].Location, inner[1:])
	if line < 1 || line > len(s.lines) {
		return 0
	}
	return s.lines[line-1]
}

func (l *Lines) open(o *object.Object, at location.Location) opened {
	n := o.OriginalAt(at)
	s, ok := l.opened[n]
	if ok {
		return s
	}
	if text, err := openOriginal(o, at); err == nil {
		s = opened{text, text.fileLines(o, at)}
	}
	if l.opened == nil {
		l.opened = map[*tree.Node]opened{}
	}
	l.opened[n] = s
	return s
}

// OnLine returns the places that are on a line of the file, in documents of the string at a
// location of the input object: those that begin on it, and texts that continue on it; each from
// the outside in.
func OnLine(o *object.Object, at location.Location, line int) [][]InnerLocation {
	s, err := openOriginal(o, at)
	if err != nil || s.base64 != nil {
		return nil
	}
	text := strings.Split(s.text, "\n")
	var found [][]InnerLocation
	for i, l := range s.fileLines(o, at) {
		if l != line {
			continue
		}
		for number, d := range s.Documents {
			for _, inner := range location.OnLine(d.Root(), text, d.FirstLine-1, i+1) {
				found = append(found, placesIn(d, InnerLocation{Document: number, Location: inner}, i+1)...)
			}
		}
	}
	return found
}

// placesIn returns the places that begin on a line of the string in the documents of the string at
// a place; the place itself if it holds none.
func placesIn(d *Document, p InnerLocation, line int) [][]InnerLocation {
	n := d.At(p.Location)
	if n != nil && n.Kind == tree.ScalarNode && n.Line()+d.FirstLine-1 < line {
		if inner := OnLine(d.Object, p.Location, line); len(inner) > 0 {
			for i := range inner {
				inner[i] = append([]InnerLocation{p}, inner[i]...)
			}
			return inner
		}
	}
	return [][]InnerLocation{{p}}
}

// Documents returns the documents of the string at a location of the input object; nil if it holds
// none.
func Documents(o *object.Object, at location.Location) []*Document {
	s, err := openOriginal(o, at)
	if err != nil {
		return nil
	}
	return s.Documents
}

// openOriginal opens the string of the input.
func openOriginal(o *object.Object, at location.Location) (*String, error) {
	return open(o, o.Original(), o.OriginalAt(at), at, Auto)
}

// fileLines returns the line of the file of each line of the text.
func (s *String) fileLines(o *object.Object, at location.Location) []int {
	lineOf := o.StringLines(at)
	var lines []int
	offset := 0
	for line := range strings.Lines(s.text) {
		if s.base64 != nil {
			lines = append(lines, lineOf(0))
			continue
		}
		lines = append(lines, lineOf(offset))
		offset += len(line)
	}
	return lines
}
