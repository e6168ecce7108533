package engine

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/author/locate"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// locateRequest asks for the field at a place in the manifests.
type locateRequest struct {
	Manifests string `json:"manifests"`
	Line      int    `json:"line"`
	// Column is 0 for the first field that begins on the line.
	Column int `json:"column"`
}

// locateAnswer is a field and what names it.
type locateAnswer struct {
	Object string `json:"object,omitempty"`
	Path   string `json:"path,omitempty"`
	Start  *Place `json:"start,omitempty"`
	End    *Place `json:"end,omitempty"`
	// Expressions are one a dialect that can name the field; none where no rule may.
	Expressions []Naming `json:"expressions"`
	// Notes say what the expressions can't tell, and Message why there is no field.
	Notes   []string `json:"notes,omitempty"`
	Message string   `json:"message,omitempty"`
}

// Naming is an expression that names a field.
type Naming struct {
	Dialect string `json:"dialect"`
	// Title is the name of the dialect for a person.
	Title string `json:"title"`
	// Field is the list of a rule that the expression belongs into.
	Field string `json:"field"`
	Text  string `json:"expression"`
	// Within are the expressions for the strings whose documents hold the field, the outermost
	// first.
	Within []string `json:"within,omitempty"`
	// Matches counts the fields of all manifests that the expression finds, and Objects the objects
	// that have them.
	Matches int `json:"matches"`
	Objects int `json:"objects"`
}

func locateField(q locateRequest) (locateAnswer, error) {
	a := locateAnswer{Expressions: []Naming{}}
	t, fault := read(inManifests, q.Manifests)
	if fault != nil {
		a.Message = fault.Message
		return a, nil
	}
	lines := t.file.Lines()
	if q.Line < 1 || q.Line > len(lines) {
		return a, nil
	}
	found, err := locate.Find(locate.NewLine(fileOf(inManifests), lines, q.Line), t.objects)
	if err != nil {
		a.Message = err.Error()
		return a, nil
	}
	place, at := t.chosen(found, q)
	named := place.Spell()
	a.Object, a.Path, a.Notes = named.Object.String(), named.Field, named.Notes
	start, end := t.place(at.start), t.place(at.end)
	a.Start, a.End = &start, &end
	for _, d := range expr.SimplestFirst() {
		if named.Texts[d.Name] == "" || place.Refusal() != "" {
			continue
		}
		n := Naming{Dialect: d.Name, Title: d.Title, Field: d.Field, Text: named.Texts[d.Name]}
		for _, texts := range named.Within {
			n.Within = append(n.Within, firstText(texts, d))
		}
		n.count(t.objects)
		a.Expressions = append(a.Expressions, n)
	}
	return a, nil
}

// firstText is the expression of the dialect, or else of the simplest that has one.
func firstText(texts map[string]string, d expr.Dialect) string {
	if texts[d.Name] != "" {
		return texts[d.Name]
	}
	for _, other := range expr.SimplestFirst() {
		if texts[other.Name] != "" {
			return texts[other.Name]
		}
	}
	return ""
}

// chosen returns the innermost of the fields on a line that the column is in, or the first one, and
// where it is.
func (t *text) chosen(found []locate.FoundField, q locateRequest) (locate.FoundField, span) {
	offset := t.offset(Place{Line: q.Line, Column: q.Column})
	chosen, at := found[0], t.spanOfPlace(found[0], q.Line)
	for _, place := range found {
		if s := t.spanOfPlace(place, q.Line); q.Column > 0 && s.start <= offset && offset <= s.end {
			chosen, at = place, s
		}
	}
	return chosen, at
}

// spanOfPlace is where a place is; for one in a string that is its line.
func (t *text) spanOfPlace(p locate.FoundField, line int) span {
	if len(p.Inside) == 0 {
		if at, ok := t.spanOf(p.Object, p.Location); ok {
			return at
		}
	}
	return t.lineRange(line)
}

// count counts what the expression finds.
func (n *Naming) count(objects []*object.Object) {
	d, _ := expr.ByName(n.Dialect)
	levels := make([]expr.Expression, 0, len(n.Within)+1)
	for _, text := range append(n.Within[:len(n.Within):len(n.Within)], n.Text) {
		parsed, err := parsedAs(d, text)
		if err != nil {
			return
		}
		levels = append(levels, parsed)
	}
	for _, o := range objects {
		if matches := countIn(o, levels); matches > 0 {
			n.Matches += matches
			n.Objects++
		}
	}
}

// parsedAs parses an expression of the dialect, or of the first other one that takes it.
func parsedAs(d expr.Dialect, text string) (expr.Expression, error) {
	parsed, err := d.Parse(text, jq.Limits{})
	for _, other := range expr.SimplestFirst() {
		if err == nil {
			break
		}
		parsed, err = other.Parse(text, jq.Limits{})
	}
	return parsed, err
}

// countIn counts what the last of the expressions finds in the documents in the strings that those
// before it find. One that fails finds nothing.
func countIn(o *object.Object, levels []expr.Expression) int {
	found, err := levels[0].Locate(&expr.Input{Root: o.Root(), WithoutHint: true})
	if err != nil {
		return 0
	}
	if len(levels) == 1 {
		return len(found.Locations)
	}
	count := 0
	for _, l := range found.Locations {
		for _, document := range embedded.Documents(o, l) {
			count += countIn(document.Object, levels[1:])
		}
	}
	return count
}

// offset is the offset of a place.
func (t *text) offset(at Place) int {
	line := min(max(at.Line, 1), len(t.starts))
	start, end := t.starts[line-1], len(t.bytes)
	if line < len(t.starts) {
		end = t.starts[line]
	}
	content, units := string(t.bytes[start:end]), 1
	for i, r := range content {
		if units >= at.Column {
			return start + i
		}
		units += utf16Length([]byte(string(r)))
	}
	return start + len(strings.TrimRight(content, "\r\n"))
}
