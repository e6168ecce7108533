package location

import (
	"fmt"
	"strconv"
	"strings"
)

// FieldError is a text that is no location as Location.String writes it.
type FieldError struct {
	Text string
	// Column is where, in characters from 1.
	Column int
	Reason string
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("invalid field '%s' (column %d): %s", e.Text, e.Column, e.Reason)
}

// ParseField parses a location as Location.String writes it and results show it:
// spec.containers[0].image, metadata.annotations["prometheus.io/port"]. A dot before it is allowed.
// Errors are *FieldError.
func ParseField(text string) (Location, error) {
	p := fieldParser{text: text, rest: strings.TrimPrefix(text, ".")}
	if p.rest == "" {
		return nil, p.fail("must name a field such as spec.replicas")
	}
	var l Location
	for p.rest != "" {
		step, err := p.step(len(l) == 0)
		if err != nil {
			return nil, err
		}
		l = append(l, step)
	}
	return l, nil
}

type fieldParser struct{ text, rest string }

func (p *fieldParser) fail(reason string) error {
	column := len([]rune(p.text[:len(p.text)-len(p.rest)])) + 1
	return &FieldError{Text: p.text, Column: column, Reason: reason}
}

func (p *fieldParser) step(first bool) (Step, error) {
	if p.rest[0] == '[' {
		return p.bracket()
	}
	name := p.rest
	if !first {
		if name[0] != '.' {
			return Step{}, p.fail(fmt.Sprintf(`must be "." or "[", found %q`, name[:1]))
		}
		name = name[1:]
	}
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	if end == 0 {
		return Step{}, p.fail("must have a name here")
	}
	p.rest = name[end:]
	return Key(name[:end]), nil
}

// bracket parses [0] or ["key"].
func (p *fieldParser) bracket() (Step, error) {
	inside := p.rest[1:]
	if quoted, err := strconv.QuotedPrefix(inside); err == nil && quoted[0] == '"' && strings.HasPrefix(inside[len(quoted):], "]") {
		key, _ := strconv.Unquote(quoted) // QuotedPrefix has parsed it
		p.rest = inside[len(quoted)+1:]
		return Key(key), nil
	}
	digits, rest, closed := strings.Cut(inside, "]")
	index, err := strconv.Atoi(digits)
	if !closed || err != nil || index < 0 {
		return Step{}, p.fail(`must be an index such as [0] or a key such as ["a.b"]`)
	}
	p.rest = rest
	return Index(index), nil
}
