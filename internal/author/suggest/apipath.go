package suggest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Path is a field as the API server writes it, where dots in keys look like those between keys:
// .metadata.annotations.prometheus.io/port, .spec.containers[name="app"].image.
type Path struct {
	text  string
	steps hint.Path
}

func (p Path) String() string { return p.text }

// parsePath parses a path as the API server writes it; false if the text is none.
func parsePath(text string) (Path, bool) {
	p := Path{text: text}
	rest := text
	if rest != "" && rest[0] != '.' {
		rest = "." + rest
	}
	for rest != "" {
		end := strings.IndexAny(rest[1:], ".[") + 1
		if end == 0 {
			end = len(rest)
		}
		step, after, ok := hint.Step{Key: rest[1:end]}, rest[end:], rest[0] == '.'
		if rest[0] == '[' {
			step, after, ok = parseBracket(rest[1:])
		}
		if !ok {
			return Path{}, false
		}
		p.steps, rest = append(p.steps, step), after
	}
	isName := func(s hint.Step) bool { return s.Kind != hint.Key || s.Key != "" }
	return p, slices.ContainsFunc(p.steps, isName)
}

// parseBracket parses what is behind the bracket in [0], [key], ["key"], [="value"] and
// [name="app",number=1].
func parseBracket(text string) (step hint.Step, rest string, ok bool) {
	if quoted, err := strconv.QuotedPrefix(text); err == nil {
		key, _ := strconv.Unquote(quoted) // which QuotedPrefix has parsed
		rest, ok = strings.CutPrefix(text[len(quoted):], "]")
		return hint.Step{Key: key}, rest, ok
	}
	end := strings.IndexAny(text, "=]")
	if end < 0 {
		return step, "", false
	}
	if text[end] == ']' {
		if step.Key = text[:end]; location.IsDigits(step.Key) {
			step.Kind = hint.Index
		}
		return step, text[end+1:], step.Key != ""
	}
	step.Kind = hint.Filter
	for {
		name, value, found := strings.Cut(text, "=")
		c := hint.Condition{}
		if name != "" {
			c.Field = []string{name}
		}
		if c.Value, c.IsBare, rest, ok = parseValue(value); !found || !ok {
			return step, "", false
		}
		step.Conditions = append(step.Conditions, c)
		if text, ok = strings.CutPrefix(rest, ","); !ok {
			rest, ok = strings.CutPrefix(rest, "]")
			return step, rest, ok
		}
	}
}

// parseValue parses a value of a key: a string in quotes, a number, true or false.
func parseValue(text string) (value string, isBare bool, rest string, ok bool) {
	if quoted, err := strconv.QuotedPrefix(text); err == nil {
		value, _ = strconv.Unquote(quoted) // which QuotedPrefix has parsed
		return value, false, text[len(quoted):], true
	}
	end := strings.IndexAny(text, ",]")
	if end < 1 {
		return "", false, "", false
	}
	return text[:end], true, text[end:], tree.Type(tree.NewScalar(tree.NoTag, text[:end])) != tree.String
}

// stringMaps are maps whose keys are free texts, which may have dots.
var stringMaps = []string{"annotations", "labels", "matchLabels", "nodeSelector", "limits", "requests"}

// outline returns the steps of the path, the dots in keys guessed by the map that has them.
// An empty step is what is before a dot that begins a key, or behind one that ends it.
func (p Path) outline() hint.Path {
	for i := range p.steps {
		isDotted := i+2 < len(p.steps) && p.steps[i+1].Kind == hint.Key && p.steps[i+1].Key == ""
		if !isDotted && !isStringMap(p.steps, i) {
			continue
		}
		if end := p.names(i+1, len(p.steps)); end > i+1 {
			return slices.Concat(p.steps[:i+1], hint.Path{p.joined(i+1, end)}, p.steps[end:])
		}
	}
	return p.steps
}

// isStringMap tells whether a step leads to a map whose keys are free texts.
func isStringMap(p hint.Path, i int) bool {
	return p[i].Kind == hint.Key && (slices.Contains(stringMaps, p[i].Key) ||
		i == 0 && slices.Contains([]string{"data", "binaryData", "stringData"}, p[i].Key))
}

// names returns where the names that begin with a step end, of which there are most at most.
func (p Path) names(begin, most int) int {
	end := begin
	for end < min(len(p.steps), begin+most) && p.steps[end].Kind == hint.Key {
		end++
	}
	return end
}

// joined is the step to the member whose key the steps are, with the dots between them.
func (p Path) joined(begin, end int) hint.Step {
	return hint.Step{Key: strings.Join(lists.Map(p.steps[begin:end], func(s hint.Step) string { return s.Key }), ".")}
}
