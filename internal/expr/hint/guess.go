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
		end := bracketEnd(r.rest)
		if end < 0 {
			return false
		}
		inside := strings.TrimSpace(r.rest[1:end])
		s, ok := bracketStep(inside)
		if s.Kind == Key && s.Key == inside && len(r.steps) > 0 && isList(r.steps[len(r.steps)-1]) {
			s = named(inside)
		}
		r.steps, r.rest = append(r.steps, s), r.rest[end+1:]
		return ok
	case c == '"' || c == '\'':
		end := strings.IndexByte(r.rest[1:], c)
		if end <= 0 {
			return false
		}
		r.steps, r.rest = append(r.steps, Step{Key: r.rest[1 : end+1]}), r.rest[end+2:]
		return true
	}
	return r.name()
}

// foreignToNames are characters that make a text something else than a path.
const foreignToNames = "|(){}=<>;,\"'? \t\n"

func (r *guessReader) name() bool {
	var b strings.Builder
	i := 0
	for ; i < len(r.rest) && r.rest[i] != r.separator && r.rest[i] != '['; i++ {
		if strings.IndexByte(foreignToNames, r.rest[i]) >= 0 { // name=web between separators, or no path
			text, _, _ := strings.Cut(r.rest, string(r.separator))
			s, ok := bracketStep(text)
			r.rest = r.rest[len(text):]
			r.steps = append(r.steps, s)
			return ok && s.Kind == Filter && !strings.ContainsAny(text, "?(")
		}
		if r.rest[i] == '\\' && i+1 < len(r.rest) {
			i++
		}
		b.WriteByte(r.rest[i])
	}
	name := b.String()
	if r.separator == '/' {
		name = slashes.Replace(location.UnescapePointer(name))
	}
	r.rest = r.rest[i:]
	r.steps = append(r.steps, nameStep(name))
	return true
}

// slashes decodes a slash of a URL.
var slashes = strings.NewReplacer("%2F", "/", "%2f", "/")

// nameStep returns the step of a name that may stand for elements of a list.
func nameStep(name string) Step {
	switch {
	case name == "*" || name == "**" || name == "#":
		return Step{Kind: Elements, Key: name}
	case isIndex(name):
		return Step{Kind: Index, Key: name}
	}
	return Step{Key: name}
}

// isIndex tells whether a text is an index, or one from the end of a list: -1.
func isIndex(text string) bool { return location.IsDigits(strings.TrimPrefix(text, "-")) }

// named is the step to the list element of a name.
func named(name string) Step {
	return Step{Kind: Filter, Conditions: []Condition{{Field: []string{"name"}, Operator: "==", Value: name}}}
}

// isList tells whether a step leads to a list by its name, which is a plural, as in Kubernetes.
func isList(s Step) bool {
	return s.Kind == Key && (s.Key == "env" || strings.HasSuffix(s.Key, "s") && !slices.Contains(textMaps, s.Key) && s.Key != "limits" && s.Key != "requests")
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
	case isIndex(inside):
		return Step{Kind: Index, Key: inside}, true
	}
	if name, ok := unquote(inside); ok {
		return Step{Key: name}, true
	}
	found := conditionPattern().FindStringSubmatch(inside)
	if found == nil || found[3] == "" && found[1] == "" {
		return Step{Key: inside}, found != nil && plainName().MatchString(inside)
	}
	c := Condition{Field: strings.Split(found[2], "."), Operator: found[3], Value: found[4], IsBare: bareValue().MatchString(found[4])}
	if c.Operator == "=" {
		c.Operator = "=="
	}
	if text, isQuoted := unquote(found[4]); isQuoted {
		c.Value = text
	}
	return Step{Kind: Filter, Conditions: []Condition{c}}, true
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
	for i, step := range steps {
		if step.Kind != Key || !slices.Contains(textMaps, step.Key) {
			continue
		}
		if names := leadingNames(steps[i+1:]); len(names) > 1 && len(names) == len(steps)-i-1 {
			return append(slices.Clone(steps[:i+1]), Step{Key: strings.Join(names, string(separator))})
		}
	}
	return steps
}

// leadingNames returns the names that the steps begin with.
func leadingNames(p Path) []string {
	var names []string
	for _, s := range p {
		if s.Kind != Key && s.Kind != Index {
			break
		}
		names = append(names, s.Key)
	}
	return names
}
