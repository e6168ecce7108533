package locate

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// Spelling is the expressions that name one place, each proved by resolving it:
// in the object that they were made for, it finds the place and nothing else. One
// that can't name the place is "".
type Spelling struct {
	JSONPointer, JSONPath, JQ string
	// ByIndex are the lists on the way whose element only its index tells from the
	// others, in the expressions that could do better.
	ByIndex []Location
	// ByPair are those whose element only two keys tell from the others. The JSONPath
	// has its index, since a filter has one condition.
	ByPair []Location
}

// Spell returns the expressions for the place at a location of root. They name
// the elements of lists by what is in them, as far as their dialect can: by name,
// or by other fields whose values the element alone has. Values that hides tells
// of are in none of them.
func Spell(root *yaml.Node, l Location, limits jq.Limits, hides func(Location, *yaml.Node) bool) Spelling {
	var s Spelling
	marks, byIndex := marksOf(root, l, hides)
	prove := func(parse func(string) (Expression, error), texts ...string) string {
		for _, text := range texts {
			if names(parse, text, root, l) {
				return text
			}
		}
		return ""
	}
	s.JSONPointer = prove(ParseJSONPointer, l.Pointer())
	s.JSONPath = prove(ParseJSONPath, spellJSONPath(l, marks), spellJSONPath(l, nil))
	parseJQ := func(text string) (Expression, error) { return ParseJQ(text, limits) }
	s.JQ = prove(parseJQ, spellJQ(l, marks), spellJQ(l, nil))
	s.ByIndex = byIndex
	for i := range l {
		if len(marks[i].places) > 1 {
			s.ByPair = append(s.ByPair, l[:i])
		}
	}
	return s
}

// names tells whether the expression finds the place at the location and nothing
// else, and needs no help with dots in keys.
func names(parse func(string) (Expression, error), text string, root *yaml.Node, l Location) bool {
	expression, err := parse(text)
	if err != nil {
		return false
	}
	found, err := expression.Locate(&Input{Root: root})
	return err == nil && found.DottedKey == "" && len(found.Locations) == 1 && Compare(found.Locations[0], l) == 0
}

// spellJSONPath writes the location as a JSONPath, with marks, by the depth of
// the element, in place of indices.
func spellJSONPath(l Location, marks map[int]mark) string {
	path := ""
	for i, step := range l {
		m, marked := marks[i]
		switch {
		case marked && len(m.places) == 1: // a filter has one condition
			path += "[?(" + m.jsonPath() + ")]"
		case step.IsIndex:
			path += "[" + strconv.Itoa(step.Index) + "]"
		default:
			path = spellField(path, step.Key)
		}
	}
	return path
}

// spellJQ writes the location as a jq expression, with marks in place of indices.
func spellJQ(l Location, marks map[int]mark) string {
	if len(l) == 0 {
		return "."
	}
	var b strings.Builder
	atDot := false // whether a stage of the pipe begins here
	dot := func() {
		if b.Len() == 0 || atDot {
			b.WriteByte('.')
		}
		atDot = false
	}
	for i, step := range l {
		m, marked := marks[i]
		switch {
		case marked:
			dot()
			b.WriteString("[] | select(" + m.jq() + ")")
			if i+1 < len(l) {
				b.WriteString(" | ")
				atDot = true
			}
		case step.IsIndex:
			dot()
			b.WriteString("[" + strconv.Itoa(step.Index) + "]")
		default:
			suffix := JQField(step.Key)
			if suffix[0] == '[' {
				dot()
			}
			b.WriteString(suffix)
			atDot = false
		}
	}
	return b.String()
}

// jsonPath is the condition of a filter.
func (m mark) jsonPath() string {
	place := "@"
	for _, step := range m.places[0] {
		place = spellField(place, step.Key)
	}
	return place + "==" + jsonPathLiteral(m.values[0])
}

func jsonPathLiteral(n *yaml.Node) string {
	if tree.Type(n) != tree.String {
		return tree.Deref(n).Value
	}
	text := tree.Deref(n).Value
	if strings.Contains(text, `"`) {
		return "'" + text + "'"
	}
	return `"` + text + `"`
}

// jq is the condition of a select.
func (m mark) jq() string {
	texts := make([]string, len(m.places))
	for i, place := range m.places {
		literal := tree.Deref(m.values[i]).Value
		if tree.Type(m.values[i]) == tree.String {
			literal = JQString(literal)
		}
		texts[i] = spellJQ(place, nil) + " == " + literal
	}
	return strings.Join(texts, " and ")
}
