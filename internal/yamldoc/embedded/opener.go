package embedded

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

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
	n := location.At(o.Root(), at)
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
	before := location.At(o.Root(), at)
	if err := s.Write(at); err != nil {
		return err
	}
	if p.strings == nil {
		p.strings = map[*tree.Node]*String{}
	}
	delete(p.strings, before)
	p.strings[location.At(o.Root(), at)] = s
	return nil
}
