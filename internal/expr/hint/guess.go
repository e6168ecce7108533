package hint

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/words"
)

// maxGuess is the length of the longest text that is guessed at.
const maxGuess = 1000

// Guess reads a text as a path, leniently and in any notation: kubectl's JSONPath, JSON Pointers,
// the field paths of kustomize, jq, or a mix of them; false if it is no path. Hints write it in the
// right dialect.
func Guess(text string) (Path, bool) {
	if len(text) > maxGuess {
		return nil, false
	}
	r := guessReader{rest: stripPath(text)}
	r.separator = separatorOf(r.rest)
	for r.rest != "" {
		if !r.step() {
			return nil, false
		}
	}
	return joinTexts(r.steps, r.separator), len(r.steps) > 0
}

// stripPath takes off what may be around a path.
func stripPath(text string) string {
	text = strings.TrimSpace(text)
	for _, around := range []string{`""`, `''`, "``", "{}"} {
		if len(text) > 1 && text[0] == around[0] && text[len(text)-1] == around[1] {
			text = strings.TrimSpace(text[1 : len(text)-1])
		}
	}
	if strings.HasPrefix(text, "#/") {
		text = text[1:]
	}
	return strings.TrimLeft(text, "$@")
}

// separatorOf returns what is between the names of a path, outside brackets.
func separatorOf(text string) byte {
	if strings.HasPrefix(text, "/") {
		return '/'
	}
	first := strings.IndexAny(text, "./[")
	if first > 0 && text[first] == '/' {
		return '/'
	}
	return '.'
}

type guessReader struct {
	rest      string
	separator byte
	steps     Path
}

// step reads one step, or separators; false if there is none.
func (r *guessReader) step() bool {
	switch c := r.rest[0]; {
	case c == r.separator:
		r.rest = r.rest[1:]
		return r.separator == '/' || !strings.HasPrefix(r.rest, ".") // .. names no place that a hint could write
	case c == '[':
		return r.bracket()
	case c == '"' || c == '\'':
		if end := strings.IndexByte(r.rest[1:], c); end > 0 {
			r.add(Step{Key: r.rest[1 : end+1]})
			r.rest = r.rest[end+2:]
			return true
		}
		return false
	}
	return r.name()
}

func (r *guessReader) add(s Step) { r.steps = append(r.steps, s) }

// foreignToNames are characters that make a text something else than a path.
const foreignToNames = "|(){}=<>;,\"'? \t\n"

func (r *guessReader) name() bool {
	var name strings.Builder
	i := 0
	for ; i < len(r.rest) && r.rest[i] != r.separator && r.rest[i] != '['; i++ {
		if strings.IndexByte(foreignToNames, r.rest[i]) >= 0 {
			return r.equation()
		}
		if r.rest[i] == '\\' && i+1 < len(r.rest) {
			i++
		}
		name.WriteByte(r.rest[i])
	}
	r.rest = r.rest[i:]
	r.add(nameStep(unescapeName(name.String(), r.separator)))
	return true
}

// equation reads name=web between separators.
func (r *guessReader) equation() bool {
	text, _, _ := strings.Cut(r.rest, string(r.separator))
	s, ok := bracketStep(text)
	if !ok || s.Kind != Filter || strings.ContainsAny(text, "?(") {
		return false
	}
	r.rest = r.rest[len(text):]
	r.add(s)
	return true
}

// slashes decodes a slash of a URL.
var slashes = strings.NewReplacer("%2F", "/", "%2f", "/")

func unescapeName(name string, separator byte) string {
	if separator != '/' {
		return name
	}
	return slashes.Replace(location.UnescapePointer(name))
}

// nameStep returns the step of a name that may stand for elements of a list.
func nameStep(name string) Step {
	switch {
	case name == "*" || name == "**" || name == "#":
		return Step{Kind: Elements, Key: name}
	case location.IsDigits(name):
		return Step{Kind: Index, Key: name}
	}
	return Step{Key: name}
}

// bracket reads what is in brackets.
func (r *guessReader) bracket() bool {
	end := bracketEnd(r.rest)
	if end < 0 {
		return false
	}
	inside := strings.TrimSpace(r.rest[1:end])
	r.rest = r.rest[end+1:]
	s, ok := bracketStep(inside)
	r.add(s)
	return ok
}

// bracketEnd returns where the bracket is closed that text begins with, or -1. Brackets in quotes
// do not count.
func bracketEnd(text string) int {
	quote, depth := byte(0), 0
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

var (
	plainName = words.Pattern(`^\w[\w./-]*$`)
	// conditionPattern finds the field, the operator and the value of a condition such as name=web,
	// ?@.name=="web" or ?(@.name).
	conditionPattern = words.Pattern(`^(\??)\s*\(?\s*(?:@\.|@|\.)?([\w./-]+)\s*(?:(==?|!=)\s*("[^"]*"|'[^']*'|[^\s"'()=@]+))?\s*\)?$`)
	bareValue        = words.Pattern(`^(-?\d+(\.\d+)?|true|false)$`)
)

func bracketStep(inside string) (Step, bool) {
	switch {
	case inside == "" || inside == "*" || inside == "#":
		return Step{Kind: Elements, Key: inside}, true
	case location.IsDigits(inside):
		return Step{Kind: Index, Key: inside}, true
	}
	if name, ok := unquote(inside); ok {
		return Step{Key: name}, true
	}
	found := conditionPattern().FindStringSubmatch(inside)
	switch {
	case found == nil:
		return Step{}, false
	case found[3] != "" || found[1] != "":
		return Step{Kind: Filter, Conditions: []Condition{guessCondition(found[2], found[3], found[4])}}, true
	}
	return Step{Key: inside}, plainName().MatchString(inside)
}

func guessCondition(field, operator, value string) Condition {
	c := Condition{Field: strings.Split(field, "."), Operator: operator, Value: value}
	if operator == "=" {
		c.Operator = "=="
	}
	text, isQuoted := unquote(value)
	if isQuoted {
		c.Value = text
	}
	c.IsBare = !isQuoted && bareValue().MatchString(value)
	return c
}

// unquote returns the text within quotes; false if it is not in quotes as a whole.
func unquote(text string) (string, bool) {
	if len(text) < 2 || text[0] != '"' && text[0] != '\'' {
		return "", false
	}
	inner := text[1 : len(text)-1]
	return inner, text[len(text)-1] == text[0] && strings.IndexByte(inner, text[0]) < 0
}

// textMaps are the fields whose members are texts, so that all names that follow belong to one key.
var textMaps = []string{"annotations", "labels", "matchLabels", "nodeSelector"}

// joinTexts makes one key of the names behind such a field.
func joinTexts(steps Path, separator byte) Path {
	for i := range steps {
		rest := steps[i+1:]
		if steps[i].Kind != Key || !slices.Contains(textMaps, steps[i].Key) || len(rest) < 2 {
			continue
		}
		names, ok := keysOf(rest)
		if ok {
			return append(slices.Clone(steps[:i+1]), Step{Key: strings.Join(names, string(separator))})
		}
	}
	return steps
}

// keysOf returns the names that the steps are; false if one is none.
func keysOf(p Path) ([]string, bool) {
	names := make([]string, len(p))
	for i, s := range p {
		if s.Kind != Key && s.Kind != Index {
			return nil, false
		}
		names[i] = s.Key
	}
	return names, true
}
