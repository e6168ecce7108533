package explain

import (
	"bufio"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Texts are two texts of an object of a kind. Before is nil for an object that is new, After for
// one that goes.
type Texts struct {
	Ref           report.Ref
	File          string
	Before, After []byte
	Kind          *schema.Kind
	// Reordered tells that they differ in the order of a list whose order means nothing to the API.
	Reordered bool
	// Shown is what may be shown of the object.
	Shown redact.Object
}

// Difference is an object whose texts differ. Its JSON is an element of what `krm-fields diff -o
// json` prints.
type Difference struct {
	report.Ref
	File   string `json:"file,omitempty"`
	Change string `json:"change"` // Changed, Created or Removed
	// Fields are the fields that differ in an object that both sides have.
	Fields []DifferentField `json:"fields"`
	Diff   string           `json:"diff"`
}

// DifferentField is a field that differs. A side that does not have it is nil, and one that has
// null leads to nil.
type DifferentField struct {
	Path    string `json:"path"`
	Live    *any   `json:"live,omitempty"`
	Package *any   `json:"package,omitempty"`
}

// CompareTexts returns what differs.
func CompareTexts(all []Texts) ([]Difference, error) {
	differences := []Difference{}
	for _, t := range all {
		before, after, name := shown(t.Before, t.After, nil, t.Shown, t.Ref)
		d := Difference{Ref: name, File: t.File, Change: Changed, Fields: []DifferentField{}}
		d.Diff = compare(before, after, 1).text(t.File, d.Ref.String(), 0)
		switch {
		case d.Diff == "":
			continue
		case t.Before == nil:
			d.Change = Created
		case t.After == nil:
			d.Change = Removed
		default:
			before, err := tree.Parse(t.Before)
			if err != nil {
				return nil, err
			}
			after, err := tree.Parse(t.After)
			if err != nil {
				return nil, err
			}
			c := fieldComparer{shown: t.Shown.With(before, after)}
			c.values(before, after, t.Kind.Type, nil)
			d.Fields = c.fields
		}
		differences = append(differences, d)
	}
	return differences, nil
}

// WriteDifferences writes a unified diff, in colour if asked.
func WriteDifferences(w io.Writer, all []Difference, coloured bool) error {
	text := textWriter{out: bufio.NewWriterSize(w, 1<<16), coloured: coloured}
	text.diffs(lists.Map(all, func(d Difference) Change { return Change{Object: d.Ref, Diff: d.Diff} }), "")
	return text.out.Flush()
}

// fieldComparer finds the fields that differ. Lists are compared element by element if they are of
// equal length and their elements have the same keys or none, else as a whole.
type fieldComparer struct {
	shown  redact.Object
	fields []DifferentField
}

func (c *fieldComparer) values(live, desired *tree.Node, t *schema.Type, at location.Location) {
	switch {
	case live != nil && desired != nil && tree.Equal(live, desired):
	case tree.IsMap(live) && tree.IsMap(desired):
		was, is := maps.Collect(tree.Entries(live)), maps.Collect(tree.Entries(desired))
		keys := slices.AppendSeq(slices.Collect(maps.Keys(was)), maps.Keys(is))
		slices.Sort(keys)
		for _, key := range slices.Compact(keys) {
			c.values(was[key], is[key], t.Member(key), at.With(location.Key(key)))
		}
	case tree.IsList(live) && tree.IsList(desired) && c.elements(live, desired, t, at):
	default:
		c.fields = append(c.fields, DifferentField{Path: c.shown.Location(at).String(), Live: c.value(live, at), Package: c.value(desired, at)})
	}
}

// elements compares the elements of lists, and their order. It returns false where these differ as
// a whole.
func (c *fieldComparer) elements(live, desired *tree.Node, t *schema.Type, at location.Location) bool {
	was, is := tree.Elements(live), tree.Elements(desired)
	if len(was) != len(is) {
		return false
	}
	of := func(i int) int { return i }
	if t != nil && t.List != nil && t.List.Kind != schema.Atomic {
		before, _ := tree.Value(live).([]any)
		after, _ := tree.Value(desired).([]any)
		old, now, isReordered := merge.Order(before, after, t)
		if len(old) != len(is) {
			return false
		}
		if isReordered {
			var was, is any = strings.Join(old, ""), strings.Join(now, "")
			c.fields = append(c.fields, DifferentField{Path: c.shown.Location(at).String(),
				Live: new(c.shown.Value(at, was)), Package: new(c.shown.Value(at, is))})
		}
		names := merge.Index(before, t)
		of = func(i int) int { return names[merge.Name(after[i], t)] }
	}
	for i, element := range is {
		c.values(was[of(i)], element, t.Element(), at.With(location.Index(i)))
	}
	return true
}

func (c *fieldComparer) value(n *tree.Node, at location.Location) *any {
	if n == nil {
		return nil
	}
	return new(c.shown.Value(at, tree.Value(n)))
}
