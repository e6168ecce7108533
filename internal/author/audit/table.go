package audit

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/krm-fields/krm-fields/internal/author/suggest"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Bounds: of the rows that are kept and printed, and of the objects that a row names.
const maxRows, maxPrinted, maxNamed = 10_000, 50, 10

// Table has a row for each problem, kind, field and managers.
type Table struct {
	rows map[rowKey]*row
	// Findings counts all, and more those that are in no row, since there are too many.
	Findings, more int
}

type rowKey struct {
	problem               Problem
	kind, managers, field string
}

type row struct {
	rowKey
	count   int
	pointer string
	// refs are the first objects, and owner is that of the first.
	refs  []report.Ref
	owner string
	// command and written are those of the first object.
	command string
	written []Entry
}

// Add counts a finding.
func (t *Table) Add(f Finding) {
	gvk := schema.ParseGVK(f.Object.APIVersion, f.Object.Kind)
	key := rowKey{f.Problem, strings.TrimSuffix(gvk.Kind+"."+gvk.Group, "."), strings.Join(f.Managers, ", "), f.Field}
	if f.Problem == LeftBehind {
		key.field = "no apply takes it over"
		if f.TakenOverBy != "" {
			key.field = "the next apply of " + f.TakenOverBy + " takes it over"
		}
	}
	t.Findings++
	r := t.rows[key]
	if r == nil {
		if len(t.rows) == maxRows {
			t.more++
			return
		}
		if t.rows == nil {
			t.rows = map[rowKey]*row{}
		}
		r = &row{rowKey: key, pointer: f.pointer, owner: f.Owner, command: f.Command, written: f.Written}
		t.rows[key] = r
	}
	if r.count++; len(r.refs) <= maxNamed {
		r.refs = append(r.refs, f.Object)
	}
}

// of returns the rows of a problem, those of most objects first.
func (t *Table) of(p Problem) []*row {
	var all []*row
	for _, r := range t.rows {
		if r.problem == p {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *row) int {
		return cmp.Or(b.count-a.count, strings.Compare(a.kind, b.kind), strings.Compare(a.managers, b.managers), strings.Compare(a.field, b.field))
	})
	return all
}

// Write writes the table for a person, in colour if asked.
func (t *Table) Write(out io.Writer, coloured bool) error {
	w := bufio.NewWriter(out)
	isFirst := true
	for _, p := range problems {
		rows := t.of(p.Problem)
		if len(rows) == 0 {
			continue
		}
		if !isFirst {
			fmt.Fprintln(w)
		}
		isFirst = false
		fmt.Fprintln(w, printable.Bold.Of(p.heading, coloured))
		columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(columns, "  OBJECTS\tKIND\tMANAGERS\tFIELD\tFOR EXAMPLE")
		for _, r := range rows[:min(len(rows), maxPrinted)] {
			example := strings.TrimPrefix(r.refs[0].Namespace+"/"+r.refs[0].Name, "/")
			example += r.times()
			if r.owner != "" {
				example += ", set by " + r.owner
			}
			if r.command != "" {
				example += ": " + r.command
			}
			fmt.Fprintf(columns, "  %d\t%s\t%s\t%s\t%s\n", r.count, printable.Line(r.kind), printable.Line(r.managers),
				printable.Line(strings.TrimPrefix(r.field, ".")), printable.Line(example))
		}
		if err := columns.Flush(); err != nil {
			return err
		}
		if more := len(rows) - maxPrinted; more > 0 {
			fmt.Fprintf(w, "  and %s more; -o json has all\n", words.Count(more, "row"))
		}
	}
	if t.more > 0 {
		fmt.Fprintf(w, "\n%s more are in no row: there are more than %d rows; -o json has all\n", words.Count(t.more, "finding"), maxRows)
	}
	return w.Flush()
}

// times says when the managers have written, in parentheses; "" where that is not known.
func (r *row) times() string {
	var all []string
	for _, e := range r.written {
		if e.Time != "" {
			all = append(all, e.Manager+" "+e.Time)
		}
	}
	if all == nil {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// Rules returns a functionConfig that leaves the fields to their owners; nil for none. A rule names
// the objects, up to ten; else it is for all of their kind.
func (t *Table) Rules(name string) *tree.Node {
	var fields []suggest.OwnedField
	for _, p := range problems {
		for _, r := range t.of(p.Problem) {
			if p.Problem == LeftBehind || p.Problem == Leftover {
				continue
			}
			f := suggest.OwnedField{Pointer: r.pointer, Path: r.field, Owner: r.owner, Refs: r.refs}
			if p.Problem != Claimed {
				f.Owner = r.managers + ": a rule for the packages of all but one"
			}
			if r.count > maxNamed {
				f.Refs = []report.Ref{{APIVersion: r.refs[0].APIVersion, Kind: r.refs[0].Kind}}
			}
			fields = append(fields, f)
		}
	}
	return suggest.ForFields(name, fields)
}
