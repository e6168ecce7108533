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
	rest := strings.TrimPrefix(text, ".")
	fail := func(reason string) (Location, error) {
		column := len([]rune(text[:len(text)-len(rest)])) + 1
		return nil, &FieldError{Text: text, Column: column, Reason: reason}
	}
	if rest == "" {
		return fail("must name a field such as spec.replicas")
	}
	var l Location
	for rest != "" {
		name, hasDot := strings.CutPrefix(rest, ".")
		switch {
		case rest[0] == '[':
			step, after, ok := bracketStep(rest[1:])
			if !ok {
				return fail(`must be an index such as [0] or a key such as ["a.b"]`)
			}
			l, rest = append(l, step), after
			continue
		case len(l) == 0:
			name = rest
		case !hasDot:
			return fail(fmt.Sprintf(`must be "." or "[", found %q`, rest[:1]))
		}
		end := strings.IndexAny(name+".", ".[")
		if end == 0 {
			return fail("must have a name here")
		}
		l, rest = append(l, Key(name[:end])), name[end:]
	}
	return l, nil
}

// bracketStep parses what follows the bracket in [0] or ["key"].
func bracketStep(inside string) (step Step, rest string, ok bool) {
	if quoted, err := strconv.QuotedPrefix(inside); err == nil && quoted[0] == '"' && strings.HasPrefix(inside[len(quoted):], "]") {
		key, _ := strconv.Unquote(quoted) // QuotedPrefix has parsed it
		return Key(key), inside[len(quoted)+1:], true
	}
	digits, rest, closed := strings.Cut(inside, "]")
	index, err := strconv.Atoi(digits)
	return Index(index), rest, closed && err == nil && index >= 0
}
