package suggest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Path is a field as the API server writes it, where dots in keys look like those between keys:
// .metadata.annotations.prometheus.io/port, .spec.containers[name="app"].image.
type Path struct {
	text  string
	steps hint.Path
}

func (p Path) String() string { return p.text }

// ParsePath parses a path as the API server writes it; false if the text is none.
func ParsePath(text string) (Path, bool) {
	p := Path{text: text}
	rest := text
	if rest != "" && rest[0] != '.' {
		rest = "." + rest
	}
	for rest != "" {
		end := strings.IndexAny(rest[1:]+".", ".[") + 1
		step, after, ok := hint.Step{Key: rest[1:end]}, rest[end:], rest[0] == '.' && end > 1
		if rest[0] == '[' {
			step, after, ok = parseBracket(rest[1:])
		}
		if !ok {
			return Path{}, false
		}
		p.steps, rest = append(p.steps, step), after
	}
	return p, len(p.steps) > 0
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

// Outline returns the steps of the path, the dots in keys guessed by the map that has them.
func (p Path) Outline() hint.Path {
	for i := range p.steps {
		if !isStringMap(p.steps, i) {
			continue
		}
		if end := p.names(i + 1); end > i+1 {
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

// names returns where the names that begin with a step end.
func (p Path) names(begin int) int {
	end := begin
	for end < len(p.steps) && p.steps[end].Kind == hint.Key {
		end++
	}
	return end
}

// joined is the step to the member whose key the steps are, with the dots between them.
func (p Path) joined(begin, end int) hint.Step {
	return hint.Step{Key: strings.Join(words.Of(p.steps[begin:end], func(s hint.Step) string { return s.Key }), ".")}
}

// in returns all the places of the path, from its step i on, in a node at a place, with the steps
// to them; duplicate elements of a list have several.
func (p Path) in(n *tree.Node, i int, at location.Location, steps hint.Path) ([]location.Location, hint.Path) {
	if i == len(p.steps) {
		return []location.Location{at}, steps
	}
	s := p.steps[i]
	if s.Kind == hint.Key {
		for end := p.names(i); end > i; end-- {
			key := p.joined(i, end)
			value := tree.Lookup(n, key.Key)
			if value == nil {
				continue
			}
			if found, all := p.in(tree.Deref(value), end, at.With(location.Key(key.Key)), append(slices.Clip(steps), key)); len(found) > 0 {
				return found, all
			}
		}
		return nil, nil
	}
	var found []location.Location
	var path hint.Path
	for index, element := range tree.Elements(n) {
		if !accepts(s, index, element) {
			continue
		}
		if more, all := p.in(tree.Deref(element), i+1, at.With(location.Index(index)), append(slices.Clip(steps), s)); len(more) > 0 {
			found, path = append(found, more...), all
		}
	}
	return found, path
}

// accepts tells whether a step leads to an element of a list. The API server sets the protocol of a
// port that has none.
func accepts(s hint.Step, index int, element *tree.Node) bool {
	if s.Kind == hint.Index {
		return s.Key == strconv.Itoa(index)
	}
	for _, c := range s.Conditions {
		isTCP := slices.Equal(c.Field, []string{"protocol"}) && c.Value == "TCP" && !c.IsBare
		isDefault := isTCP && tree.Lookup(tree.Deref(element), "protocol") == nil
		if !isDefault && !c.Test().Accepts(element) {
			return false
		}
	}
	return true
}
