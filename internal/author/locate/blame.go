package locate

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	writers "github.com/krm-fields/krm-fields/internal/ssa/owners"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Owned is a field on a line of a file, and who owns it on the cluster.
type Owned struct {
	File   string     `json:"file"`
	Line   int        `json:"line"`
	Object report.Ref `json:"object"`
	Path   string     `json:"path"`
	Owners []Owner    `json:"owners"`
}

// Owner is an entry of managedFields.
type Owner struct {
	Manager     string `json:"manager"`
	Operation   string `json:"operation"`
	Subresource string `json:"subresource,omitempty"`
	Time        string `json:"time,omitempty"`
	// Source is the page about what is known to write under the name of the manager.
	Source string `json:"source,omitempty"`
}

// Blame is a file, with the owners of the fields on each line.
type Blame struct {
	path string
	// lines are the lines as they are shown: without the values of Secrets.
	lines []string
	// owners are those of all fields on each line, each once.
	owners [][]Owner
	// fields are in the order of their lines; none where they need not be named.
	fields   []ownedField
	only     int
	hasNames bool
}

// ownedField is a field on a line, and who owns it.
type ownedField struct {
	line   int
	owners []Owner
	name   *fieldName // nil for a field that need not be named
}

type fieldName struct {
	ref  report.Ref
	path string
}

// atOnce is how many objects are read before what is known of them is added to their file.
const atOnce = 128

// NewBlame finds the owners of the fields of the objects of a world in their files. It shows the
// line alone that is not 0, and names the fields only for Fields. The results say which objects
// have no live one. The error is that of an object that can't be read.
func NewBlame(w *world.World, files []*manifests.File, line int, names bool) ([]Blame, []report.Result, error) {
	_, _ = w.Schemas() // before pairs are made side by side
	isAsked := map[*object.Object]bool{}
	for _, o := range w.Objects {
		isAsked[o] = true
	}
	var all []Blame
	var results []report.Result
	for _, file := range files {
		b := Blame{path: file.Path, lines: file.Lines(), only: line, hasNames: names}
		b.owners = make([][]Owner, len(b.lines))
		for chunk := range slices.Chunk(manifests.Objects([]*manifests.File{file}), atOnce) {
			read := make([]readObject, len(chunk))
			if err := parallel.Each(len(chunk), func(i int) error {
				o := chunk[i]
				return o.Use(func() { read[i] = b.read(w, o, isAsked[o]) })
			}); err != nil {
				return nil, nil, err
			}
			for _, r := range read {
				results = append(results, r.faults...)
				b.add(r.fields)
			}
		}
		b.lines = shown(b.lines, w.Mask)
		slices.SortStableFunc(b.fields, func(a, b ownedField) int { return cmp.Compare(a.line, b.line) })
		all = append(all, b)
	}
	return all, results, nil
}

// readObject is what is known of an object: its fields, and why the owners are not known.
type readObject struct {
	fields []ownedField
	faults []report.Result
}

func (b *Blame) read(w *world.World, o *object.Object, isAsked bool) (r readObject) {
	places := location.ByLine(o.Root(), b.lines, o.FirstLine-1)
	if !isAsked || b.only != 0 && places[b.only] == nil {
		return r
	}
	p, results := w.Pair(o)
	if p.Live != nil && len(results) == 0 && !managedfields.AreKnown(p.Entries, p.Live, o.Root()) {
		results = append(results, report.New(report.SeverityWarning, report.ReasonNoManagedFields, world.NoOwners(1, p.Ref)).Of(p.Ref, p.File))
	}
	r.faults, r.fields = results, b.owned(o, places, p.Entries, w.Kind(p.Ref))
	return r
}

// owned returns the fields of an object of a kind.
func (b *Blame) owned(o *object.Object, places map[int][]location.Location, entries []managedfields.Entry, kind *schema.Kind) []ownedField {
	root := o.Root()
	index := managedfields.NewIndex(entries, kind.WithKeys(root))
	ref := report.RefOf(root)
	count := 0
	for _, on := range places {
		count += len(on)
	}
	fields := make([]ownedField, 0, count)
	var before []int // neighbours mostly have the same owners
	owners := []Owner{}
	for _, line := range slices.Sorted(maps.Keys(places)) {
		if b.only != 0 && b.only != line {
			continue
		}
		for _, l := range places[line] {
			if own := index.OwnersOfPlace(l); !slices.Equal(own, before) {
				before, owners = own, make([]Owner, len(own))
				for i, at := range own {
					e := entries[at]
					owners[i] = Owner{e.Manager, e.Operation, e.Subresource, e.Time, writers.SourceOf(e.Manager, e.Subresource == "scale")}
				}
			}
			f := ownedField{line: line, owners: owners}
			if b.hasNames {
				f.name = &fieldName{ref, l.String()}
			}
			fields = append(fields, f)
		}
	}
	return fields
}

// Fields returns the fields of files in the order of their lines.
func Fields(all []Blame) []Owned {
	fields := []Owned{}
	for _, b := range all {
		for _, f := range b.fields {
			fields = append(fields, Owned{File: b.path, Line: f.line, Object: f.name.ref, Path: f.name.path, Owners: f.owners})
		}
	}
	return fields
}

// String returns the owner as managedfields.Entry does.
func (o Owner) String() string {
	return managedfields.Entry{Manager: o.Manager, Operation: o.Operation, Subresource: o.Subresource}.String()
}

// add adds the fields of an object.
func (b *Blame) add(fields []ownedField) {
	for _, f := range fields {
		if f.line > len(b.owners) {
			continue // YAML has more kinds of line breaks than lines here
		}
		switch known := b.owners[f.line-1]; {
		case known == nil:
			b.owners[f.line-1] = f.owners
		case !slices.Equal(known, f.owners): // a copy, since fields share theirs
			isKnown := func(owner Owner) bool { return slices.Contains(known, owner) }
			b.owners[f.line-1] = append(slices.Clip(known), slices.DeleteFunc(slices.Clone(f.owners), isKnown)...)
		}
	}
	if b.hasNames {
		b.fields = append(b.fields, fields...)
	}
}

// firstColour is the first of the colours of a terminal that managers have: red, green, yellow,
// blue, magenta, cyan.
const firstColour, colours = 31, 6

// WriteBlame writes each line of files behind its owner and the time of its last change. Further
// owners of a line have lines of their own below it. On a terminal each manager has a colour.
func WriteBlame(out io.Writer, all []Blame, coloured bool) error {
	w := bufio.NewWriter(out)
	var managers []string
	width, timeWidth := 0, 0
	known := map[Owner]bool{}
	for _, b := range all {
		for _, owners := range b.owners {
			for _, owner := range owners {
				if known[owner] {
					continue
				}
				known[owner] = true
				width = max(width, utf8.RuneCountInString(owner.String()))
				timeWidth = max(timeWidth, utf8.RuneCountInString(owner.Time))
				if !slices.Contains(managers, owner.Manager) {
					managers = append(managers, owner.Manager)
				}
			}
		}
	}
	line := func(owner Owner, position, text string) {
		name := ""
		if owner != (Owner{}) {
			name = owner.String()
		}
		who := printable.Line(fmt.Sprintf("%-*s  %-*s", width, name, timeWidth, owner.Time))
		rest := strings.TrimRight(position+printable.Source(text), " ")
		switch i := slices.Index(managers, owner.Manager); {
		case coloured && i >= 0:
			who = fmt.Sprintf("\x1b[%dm%s\x1b[0m", firstColour+i%colours, who)
		case rest == "":
			who = strings.TrimRight(who, " ")
		}
		fmt.Fprintln(w, who+rest)
	}
	for i, b := range all {
		if len(all) > 1 {
			fmt.Fprintln(w, strings.Repeat("\n", min(i, 1))+printable.Line(b.path))
		}
		digits := len(fmt.Sprint(len(b.lines)))
		for i, text := range b.lines {
			if b.only != 0 && b.only != i+1 {
				continue
			}
			var owners []Owner // two entries may differ in their version alone
			for _, owner := range append(slices.Clip(b.owners[i]), Owner{}) {
				if !slices.Contains(owners, owner) {
					owners = append(owners, owner)
				}
			}
			line(owners[0], fmt.Sprintf("  %*d  ", digits, i+1), text)
			for _, owner := range owners[1:max(len(owners)-1, 1)] {
				line(owner, "", "")
			}
		}
	}
	return w.Flush()
}
