// Package audit tells of a whole cluster, as a stream of its live objects, where field managers are
// at odds. It keeps no object: only those that show the owners of others, and the rows of a table.
package audit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/owners"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Problem is what is wrong with a field, or an object.
type Problem string

const (
	// Contested is a field that an applier and another manager own: the next apply that changes it
	// has a conflict, or takes it over.
	Contested Problem = "contested"
	// Claimed is a field that an applier owns alone, although another object says that it is its.
	Claimed Problem = "claimed"
	// SharedWhole is a contested list or map that is atomic: whoever changes it sets all of it.
	SharedWhole Problem = "sharedWhole"
	// Leftover is a field that only the entry of a tool owns that has applied before another one.
	Leftover Problem = "leftover"
	// LeftBehind is an entry of client-side apply beside that of a server-side apply.
	LeftBehind Problem = "leftBehind"
)

// titled is a problem with its heading in the table.
type titled struct {
	Problem
	heading string
}

// problems are all of them in the order of the table.
var problems = []titled{
	{Contested, "Contested: an applier and another manager own the field, so the next apply that changes it has a conflict or takes it over; " +
		"between two tools, see krm-fields handover"},
	{Claimed, "Claimed: one applier owns the field alone, and another object sets it"},
	{SharedWhole, "Shared as a whole: an applier and another manager own an atomic list or map, so whoever changes it sets all of it"},
	{Leftover, "Leftover: only the entry of a tool that applied before another one owns the field, so no apply removes it; see krm-fields handover"},
	{LeftBehind, "Left behind: an entry of client-side apply, which keeps fields that the package no longer has"},
}

// Problems are the names of all problems.
var Problems = lists.Map(problems, func(p titled) string { return string(p.Problem) })

// Finding is a problem of one object.
type Finding struct {
	Problem Problem    `json:"problem"`
	Object  report.Ref `json:"object"`
	// Field is as the API server writes it; "" for LeftBehind.
	Field    string   `json:"field,omitempty"`
	Managers []string `json:"managers"`
	// Written are the entries of the managers that own the field, with their times.
	Written []Entry `json:"written"`
	// Owner is the object that says that a Claimed field is its.
	Owner string `json:"owner,omitempty"`
	// Source is the page that documents that.
	Source string `json:"source,omitempty"`
	// TakenOverBy is the manager whose next apply ends what is LeftBehind.
	TakenOverBy string `json:"takenOverBy,omitempty"`
	// Command removes a Leftover.
	Command string `json:"command,omitempty"`

	// pointer names a Claimed field in all objects alike.
	pointer string
}

// Entry is one of an object's managedFields. Its time is that of the last change to anything that
// it owns.
type Entry struct {
	Manager     string `json:"manager"`
	Operation   string `json:"operation"`
	Subresource string `json:"subresource,omitempty"`
	Time        string `json:"time,omitempty"`
}

// written returns the entries of managers that own a field.
func written(entries []managedfields.Entry, managers []string, owns func(managedfields.Entry) bool) []Entry {
	all := []Entry{}
	for _, e := range entries {
		if slices.Contains(managers, e.Manager) && owns(e) {
			all = append(all, Entry{e.Manager, e.Operation, e.Subresource, e.Time})
		}
	}
	return all
}

// Audit goes over the live objects of a cluster twice: for the owners, then for the findings.
type Audit struct {
	Schemas *schema.Schemas
	// Manager is the one whose findings count; "" for all.
	Manager string
	// Objects counts those that were read, and Unmanaged those without managedFields.
	Objects, Unmanaged int

	owners *owners.Index
	seen   map[[8]byte]bool
}

// isNew tells whether an object comes for the first time: the API server serves some in several
// groups, such as Ingresses. Eight bytes of a hash of the uid tell millions of objects apart.
func (a *Audit) isNew(root *tree.Node) bool {
	uid := tree.GetString(root, "metadata", "uid")
	if uid == "" {
		return true
	}
	hash := sha256.Sum256([]byte(uid))
	key := [8]byte(hash[:])
	if a.seen == nil {
		a.seen = map[[8]byte]bool{}
	}
	wasSeen := a.seen[key]
	a.seen[key] = true
	return !wasSeen
}

// Check reads a stream only to find faults. It tells whether there are objects, or nothing at all.
func (a *Audit) Check(stream io.Reader) (bool, error) {
	return each(stream, all, func(*tree.Node) found { return found{} }, func(*tree.Node, found) {})
}

// AddOwners reads a stream for the objects that show owners, and for CustomResourceDefinitions.
func (a *Audit) AddOwners(stream io.Reader) error {
	if a.owners == nil {
		a.owners = owners.Empty()
	}
	small := func(root *tree.Node) found { // without what takes most of the memory
		for _, n := range []*tree.Node{tree.Get(root, "status"), tree.Get(root, "metadata", "managedFields")} {
			if n != nil {
				n.Content = nil
			}
		}
		return found{}
	}
	mayCount := func(text []byte) bool {
		return owners.MayShow(text) || bytes.Contains(text, []byte("CustomResourceDefinition"))
	}
	_, err := each(stream, mayCount, small, func(root *tree.Node, _ found) {
		// Its strings must not keep all of the text in memory.
		text, err := tree.MarshalJSON(root)
		if err != nil {
			return
		}
		alone, err := tree.ParseJSON(text)
		if err != nil {
			return
		}
		if isDefinition, _ := a.Schemas.Define(alone); !isDefinition { // one of a cluster can be read, or is of no use
			a.owners.Add(alone, "", report.File{}, true)
		}
	})
	return err
}

// Find reads a stream and tells its findings in its order, of each object once, and warns of
// entries that count as missing. It returns what Check does.
func (a *Audit) Find(stream io.Reader, tell func(Finding), warn func(report.Result)) (bool, error) {
	return each(stream, all, a.object, func(root *tree.Node, found found) {
		if !a.isNew(root) {
			return
		}
		a.Objects++
		if len(tree.Elements(tree.Get(root, "metadata", "managedFields"))) == 0 {
			a.Unmanaged++
		}
		for _, fault := range found.faults {
			warn(fault)
		}
		for _, f := range found.findings {
			if a.Manager == "" || slices.Contains(f.Managers, a.Manager) {
				tell(f)
			}
		}
	})
}

// atOnce bounds the objects, and the bytes, that are in memory together.
const atOnce, bytesAtOnce = 256, 4 << 20

func all([]byte) bool { return true }

// found is what is found in an object, and the faults of its managedFields.
type found struct {
	findings []Finding
	faults   []report.Result
}

// each looks at the wanted objects of a stream side by side, and ends with each in its order. It
// tells whether there are any, or the stream is empty.
func each(stream io.Reader, wanted func([]byte) bool, look func(*tree.Node) found, end func(*tree.Node, found)) (bool, error) {
	var fault error // the first of an item
	var batch []document
	size, number, holds := 0, 0, false
	flush := func() error {
		err := parallel.Each(len(batch), func(i int) error {
			if err := batch[i].read(look, end); err != nil {
				return fmt.Errorf("object %d: %w", batch[i].number, err)
			}
			return nil
		})
		for _, d := range batch {
			holds, fault = holds || d.isList || len(d.ends) > 0, cmp.Or(fault, d.fault)
			for i := 0; err == nil && i < len(d.ends); i++ {
				d.ends[i]()
			}
			if d.memory != nil {
				d.memory.Free()
			}
		}
		batch, size = batch[:0], 0
		return err
	}
	for text, err := range manifests.Texts(stream) {
		if number++; err != nil {
			return false, fmt.Errorf("object %d: %w", number, err)
		}
		if !wanted(text.Bytes) {
			continue
		}
		batch, size = append(batch, document{number: number, text: text.Bytes, isItem: text.IsItem}), size+len(text.Bytes)
		if len(batch) >= atOnce || size >= bytesAtOnce {
			if err := flush(); err != nil {
				return false, err
			}
		}
	}
	err := flush()
	if err == nil && holds { // else it may be a file of something else
		err = fault
	}
	return holds || number == 0, err
}

// document is a text of a stream, and what was read of it.
type document struct {
	number         int
	text           []byte
	isItem, isList bool
	memory         *tree.Memory
	ends           []func() // one for each object
	fault          error    // that an item is no object
}

// read looks at the objects of the text.
func (d *document) read(look func(*tree.Node) found, end func(*tree.Node, found)) error {
	d.memory = tree.NewMemory()
	root, err := parse(d.memory, d.text)
	if err != nil {
		return err
	}
	d.isList = resourcelist.HoldsObjects(root) // in flow style, or without items: others are cut
	for _, n := range resourcelist.Objects(root) {
		kind, version := tree.Get(n, "kind"), tree.Get(n, "apiVersion")
		if object.IsName(kind) && object.IsName(version) {
			found := look(n)
			d.ends = append(d.ends, func() { end(n, found) })
		} else if object.IsName(kind) && version == nil {
			return fmt.Errorf("must have an apiVersion beside the kind %q, found none", kind.Text())
		} else if d.isItem || d.isList {
			d.fault = fmt.Errorf("object %d: the items of a list must have an apiVersion and a kind, found one without", d.number)
		}
	}
	return nil
}

func parse(memory *tree.Memory, text []byte) (*tree.Node, error) {
	if text[0] == '{' {
		if root, err := memory.ParseJSON(text, object.JSONDepth); err == nil {
			return root, nil
		}
	}
	return memory.Parse(text)
}

// object finds the problems of an object.
func (a *Audit) object(root *tree.Node) found {
	survey := managedfields.SurveyOf(root)
	if len(survey.Entries) == 0 {
		return found{faults: survey.Faults}
	}
	ref := report.RefOf(root)
	var all []Finding
	var entries []managedfields.Entry
	if survey.IsShared || survey.HasFormerApplier() {
		entries, _ = managedfields.Of(root) // of whose faults the survey tells
	}
	for _, c := range merge.Contested(a.Schemas, root, entries) {
		f := Finding{Problem: Contested, Object: ref, Field: c.Path.String(), Managers: c.Managers,
			Written: written(entries, c.Managers, func(e managedfields.Entry) bool { return e.Fields().Has(c.Path) })}
		if c.IsWhole {
			f.Problem = SharedWhole
		}
		all = append(all, f)
	}
	left := survey.LeftBehind()
	for _, manager := range slices.Sorted(maps.Keys(left)) {
		is := []string{manager}
		all = append(all, Finding{Problem: LeftBehind, Object: ref, Managers: is, TakenOverBy: left[manager],
			Written: written(survey.Entries, is, func(e managedfields.Entry) bool { return e.Subresource == "" })})
	}
	if survey.HasFormerApplier() {
		all = append(all, a.leftovers(root, ref, entries)...)
	}
	return found{append(all, a.claimed(root, ref)...), survey.Faults}
}

// leftovers finds the fields that tools own alone which have applied before another one.
func (a *Audit) leftovers(root *tree.Node, ref report.Ref, entries []managedfields.Entry) []Finding {
	return lists.Map(merge.FormerLeftovers(a.Schemas, root, entries), func(l merge.Leftover) Finding {
		return Finding{Problem: Leftover, Object: ref, Field: l.Path.String(), Managers: []string{l.Manager.Name},
			Written: []Entry{{l.Manager.Name, l.Manager.Operation, l.Manager.Subresource, l.Manager.Time}},
			Command: world.RemoveCommand(ref, l.Location)}
	})
}

// claimed finds the fields that an applier owns alone and other objects say are theirs.
func (a *Audit) claimed(root *tree.Node, ref report.Ref) []Finding {
	claims := a.owners.Of(selector.Of(root), "", "")
	if len(claims) == 0 {
		return nil
	}
	kind := a.Schemas.Kind(schema.ParseGVK(ref.APIVersion, ref.Kind))
	entries, _ := managedfields.Of(root)
	index := managedfields.NewIndex(entries, root)
	var all []Finding
	type field struct{ path, owner string }
	known := map[field]bool{}
	for _, c := range claims {
		for _, f := range owners.WithoutAtomic(c.Locate(root, kind), kind) {
			sole, ok := index.SoleOwner(f.Location, "")
			if !ok || f.Left != "" {
				continue
			}
			found := Finding{Problem: Claimed, Object: ref, Field: "." + f.Location.String(),
				pointer: f.Pointer, Managers: []string{sole.Manager}, Owner: c.Name(), Source: c.Entry.Source, TakenOverBy: sole.TakenOverBy}
			found.Written = written(index.Owners(f.Location), found.Managers, func(managedfields.Entry) bool { return true })
			if key := (field{found.Field, found.Owner}); !known[key] {
				known[key] = true
				all = append(all, found)
			}
		}
	}
	return all
}
