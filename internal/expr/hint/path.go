package hint

import (
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// Path is the steps from the root to a place, in no dialect; each dialect writes them in its own
// syntax.
type Path []Step

// Step is one step of a path.
type Step struct {
	Kind StepKind
	// Key is that of a Key, and the digits of an Index.
	Key string
	// Conditions are what a Filter asks of list elements; all must hold.
	Conditions []Condition
	// Position is the index of the only element that a Filter selects, for a dialect without
	// filters; "" where it is not known.
	Position string
}

// IsSegment tells whether a JSON Pointer can have the step: a key, or an index.
func (s Step) IsSegment() bool { return s.Kind != Filter }

// StepKind is what a step leads to.
type StepKind int

const (
	// Key is a member of a map.
	Key StepKind = iota
	// Index is an element of a list, from 0; all of them for the Key *.
	Index
	// Filter is elements of a list for which the conditions hold.
	Filter
)

// Condition says what a field of a list element must equal.
type Condition struct {
	// Field is the path of keys to it; none for the element itself.
	Field []string
	Value string
	// IsBare is true for a value that is no string.
	IsBare bool
}

// Literal writes the value, a string by quote.
func (c Condition) Literal(quote func(string) string) string {
	if c.IsBare {
		return c.Value
	}
	return quote(c.Value)
}

// Of is the path of a location, whose list elements are named by their position.
func Of(l location.Location) Path {
	path := make(Path, len(l))
	for i, step := range l {
		path[i] = Step{Key: step.Key}
		if step.IsIndex {
			path[i] = Step{Kind: Index, Key: strconv.Itoa(step.Index)}
		}
	}
	return path
}

// Pointer writes the path as a JSON Pointer; "" where it has other steps.
func (p Path) Pointer() string {
	var b strings.Builder
	for _, s := range p {
		switch {
		case s.IsSegment():
			b.WriteString("/" + location.EscapePointer(s.Key))
		case s.Kind == Filter && s.Position != "":
			b.WriteString("/" + s.Position)
		default:
			return ""
		}
	}
	return b.String()
}
