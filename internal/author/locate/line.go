package locate

import (
	"errors"
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// lineSearch finds the fields on a line of a file.
type lineSearch struct {
	file  string
	lines []string
	line  int
}

// NewLine returns a search for the fields on a line, from 1, of a file.
func NewLine(file string, lines []string, line int) Search {
	return &lineSearch{file: file, lines: lines, line: line}
}

// maxLineWork bounds the nodes that are visited to prove the expressions for all fields of a line:
// each is resolved in the whole object.
const maxLineWork = 10_000_000

func (s *lineSearch) in(o *object.Object) ([]location.Location, error) {
	on := location.OnLine(o.Root(), s.lines, o.FirstLine-1, s.line)
	if len(on) > 1 && len(on)*location.Places(o.Root()) > maxLineWork {
		return nil, fmt.Errorf("line %d of %s must have fewer fields, found %d in an object that is too large to list them all; "+
			"ask for one, such as --field '%s'", s.line, s.file, len(on), on[len(on)-1])
	}
	return on, nil
}

func (s *lineSearch) inside(o *object.Object, l location.Location) [][]embedded.InnerLocation {
	n := location.At(o.Root(), l)
	if n == nil || n.Kind != tree.ScalarNode || o.LineOf(location.Begin(o.Root(), l)) == s.line {
		return nil
	}
	return embedded.OnLine(o, l, s.line)
}

func (s *lineSearch) nothing(objects []*object.Object) error {
	message := fmt.Sprintf("line %d of %s has no field", s.line, s.file)
	var next location.Location
	nearest := 0
	for _, o := range objects {
		if l, line := location.NextLine(o.Root(), o.FirstLine-1, s.line); line > 0 && (nearest == 0 || line < nearest) {
			next, nearest = l, line
		}
	}
	if nearest > 0 {
		message += fmt.Sprintf("; the next one, %s, is on line %d", next, nearest)
	}
	return errors.New(message)
}
