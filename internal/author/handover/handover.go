// Package handover moves the ownership of a package's fields from the tool that has applied it to
// the one that will: it makes new managedFields for each object, and patches that write them.
//
// It changes no value and talks to no cluster.
package handover

import (
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/author/plan"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Options are what a handover is made of, besides the world, whose tool takes over.
type Options struct {
	*world.World
	From *managedfields.Tool
	// RemoveStale gives the new tool what the package lacks, so that its first apply removes that.
	RemoveStale bool
	// Forget removes the labels and annotations by which the old tool finds its objects.
	Forget bool
	// Force hands over objects of which the next apply would change values, too.
	Force bool
}

// Outcomes of an object.
const (
	// HandOver is that of an object whose entries change.
	HandOver = "handOver"
	// Nothing is that of an object on which the old tool owns nothing.
	Nothing = "nothing"
	// NotThere is that of an object that the cluster does not have.
	NotThere = "notThere"
	// Blocked is that of an object of which the next apply would change a value only because of the
	// handover.
	Blocked = "blocked"
	// Unknown is that of an object that can't be planned, and Refused of one whose apply the API
	// server would refuse.
	Unknown = "unknown"
	Refused = "refused"
	// Patched, Failed and NotSent are what has become of those to hand over.
	Patched = "patched"
	Failed  = "failed"
	NotSent = "notSent"
)

// Handover is that of a package.
type Handover struct {
	From    string    `json:"from"`
	To      string    `json:"to"`
	Manager string    `json:"manager"`
	Objects []*Object `json:"objects"`
	// Saved is the file that keeps what was there; "" for none.
	Saved  string `json:"saved,omitempty"`
	DryRun bool   `json:"dryRun"`
}

// Object is the handover of one object.
type Object struct {
	report.Ref
	Outcome string `json:"outcome"`
	Cause   string `json:"cause,omitempty"`
	// From are the entries of the old tool, all of which go.
	From []EntryName `json:"from"`
	// Moved are the fields that go to the new tool, as the API server writes them.
	Moved    []string   `json:"moved"`
	Stale    []Stale    `json:"stale"`
	Released []Released `json:"released"`
	Marks    []Mark     `json:"marks"`
	// ManagedFields are the entries afterwards, as they may be shown.
	ManagedFields []any `json:"managedFields,omitempty"`
	// Next is what the next apply of the new tool does.
	Next *plan.PlannedObject `json:"next,omitempty"`

	file    report.File
	maker   *Options
	looked  *plan.Looked
	entries []merge.Manager
	live    *tree.Node
}

// EntryName names an entry of managedFields.
type EntryName struct {
	Manager    string `json:"manager"`
	Operation  string `json:"operation"`
	APIVersion string `json:"apiVersion"`
}

func (e EntryName) String() string { return e.Manager + " (" + e.Operation + ")" }

// Stale is a field that the old tool alone owns and the package lacks.
type Stale struct {
	Path  string `json:"path"`
	Value any    `json:"value"`
	// Command removes the field.
	Command string `json:"command"`
}

// Released is a field of the old tool that goes to neither: since a rule leaves it to others, or
// since the package lacks it and others own it.
type Released struct {
	Path string   `json:"path"`
	To   []string `json:"to"`
}

// Mark is a label or annotation by which the old tool finds the object.
type Mark struct {
	Path string `json:"path"`

	at location.Location
}

// Make makes the handover. The results are those of the functionConfigs, one of which may have
// failed: then there is none. Warnings are what could not be known.
func Make(o Options) (made *Handover, results, warnings []report.Result, err error) {
	first := *o.World
	first.SendsAll = true // each object counts, also if it is unchanged
	objects := lists.Map(o.Objects, (*object.Object).Copy)
	h := &Handover{From: o.From.Name, To: o.As.Name, Manager: o.Manager, Objects: []*Object{}}
	byRef := map[report.Ref]*Object{}
	planned, results, warnings, err := plan.Make(plan.Options{World: &first, Force: true, Look: func(l *plan.Looked) {
		byRef[l.Ref] = o.object(l)
	}})
	if err != nil || planned == nil {
		return nil, results, warnings, err
	}
	isListed := map[*Object]bool{}
	for _, p := range planned.Objects {
		made := byRef[p.Ref]
		if isListed[made] {
			continue // the package has it twice
		}
		if made == nil {
			made = newObject(p.Ref)
			made.Outcome, made.Cause = NotThere, p.Cause
			if p.Outcome == plan.Refused || p.Outcome == plan.Unknown {
				made.Outcome = p.Outcome
			}
		}
		isListed[made] = true
		h.Objects = append(h.Objects, made)
	}
	return h, results, warnings, o.foresee(objects, byRef)
}

// atEntries is where an object has its entries.
var atEntries = location.Location{location.Key("metadata"), location.Key("managedFields")}

// maxNamed is how many fields a text names.
const maxNamed = 5

// File is where the package has the object, and Live is the object as it was read.
func (o *Object) File() report.File { return o.file }

func (o *Object) Live() *tree.Node { return o.live }

// isPatched tells whether the object is to be patched, or was.
func (o *Object) isPatched() bool { return o.entries != nil && o.Outcome != Blocked }

func newObject(ref report.Ref) *Object {
	return &Object{Ref: ref, From: []EntryName{}, Moved: []string{}, Stale: []Stale{}, Released: []Released{}, Marks: []Mark{}}
}

// foresee plans the next apply of the package, for the objects that are handed over.
func (o *Options) foresee(objects []*object.Object, made map[report.Ref]*Object) error {
	then := *o.World
	then.Objects = objects
	handed := map[report.Ref]*Object{}
	for _, m := range made {
		if m.Outcome == HandOver {
			handed[m.Ref] = m
		}
	}
	if len(handed) == 0 {
		return nil
	}
	then.Live = lists.Map(o.Live, func(live *object.Object) *object.Object {
		m := handed[live.Ref()]
		if m == nil {
			return live
		}
		return object.NewDocument(m.after(live.Root()))
	})
	planned, _, _, err := plan.Make(plan.Options{World: &then})
	if err != nil || planned == nil {
		return err
	}
	for _, p := range planned.Objects {
		if handed := made[p.Ref]; handed != nil && handed.Outcome == HandOver {
			handed.Next = p
		}
	}
	return nil
}

// Again makes the handover of the object as it is now.
func (o *Object) Again(live *tree.Node) error {
	looked := *o.looked
	looked.Live, looked.Shown = object.NewDocument(live), o.looked.Shown.With(live)
	again := o.maker.object(&looked)
	again.Next = o.Next
	if *o = *again; o.Outcome == HandOver || o.Outcome == Nothing {
		return nil
	}
	return errors.New(o.Cause)
}

// object makes the handover of one object.
func (o *Options) object(l *plan.Looked) *Object {
	made := newObject(l.Live.Ref())                                                        // which has the namespace
	made.file, made.maker, made.looked, made.live = l.File, o, l, tree.Copy(l.Live.Root()) // its own nodes are released
	made.Outcome = Unknown
	p, err := o.predict(l, made.live)
	if err == nil && p.Refused != nil {
		made.Outcome, err = Refused, p.Refused
	}
	if err != nil {
		return made.fail(err)
	}
	made.Outcome = Nothing
	s := o.split(p, l)
	if made.From = s.from; !s.changes() {
		return made
	}
	made.Outcome, made.entries = HandOver, s.entries()
	for path := range s.moved.Leaves().All() {
		made.Moved = append(made.Moved, l.Shown.Text(path.String()))
	}
	for _, f := range s.stale {
		made.Stale = append(made.Stale, Stale{Path: l.Shown.Text(f.Path.String()), Value: l.Shown.Value(f.Location, f.Value),
			Command: world.RemoveCommand(l.Ref, f.Location)})
	}
	for _, r := range s.released {
		made.Released = append(made.Released, Released{Path: l.Shown.Text(r.path.String()), To: r.to})
	}
	for _, at := range s.marks {
		made.Marks = append(made.Marks, Mark{Path: at.String(), at: at})
	}
	made.ManagedFields, _ = l.Shown.Value(atEntries, made.sent()).([]any)
	if o.Force {
		return made
	}
	if made.Cause, err = o.unexplained(p, made, s); err != nil {
		made.Outcome = Unknown
		return made.fail(err)
	}
	if made.Cause != "" {
		made.Outcome = Blocked
	}
	return made
}

// fail says why there is no handover of the object.
func (o *Object) fail(err error) *Object {
	o.Cause, o.entries = o.maker.Mask.Error(err, o.looked.Shown.HasSecret()), nil
	return o
}

// predict predicts the next apply of the new tool, by force.
func (o *Options) predict(l *plan.Looked, live *tree.Node) (*merge.Prediction, error) {
	entries, _ := managedfields.Of(live) // of whose faults the plan tells
	return merge.Predict(l.Schemas, merge.Apply{Live: live, Entries: entries, Package: l.Package, Manager: o.Manager, Force: true, As: o.As})
}

// unexplained says which values the next apply would change only because of the handover: fields
// that neither the package sets nor the new tool is asked to remove; "" for none.
func (o *Options) unexplained(p *merge.Prediction, made *Object, s *split) (string, error) {
	before, err := changing(p)
	if err != nil {
		return "", err
	}
	next, err := o.predict(made.looked, made.after(made.live))
	if err != nil {
		return "", err
	}
	after, err := changing(next)
	if err != nil {
		return "", err
	}
	var all []string
	for path := range after.Difference(before.Union(p.Sent())).RecursiveDifference(s.asked).All() {
		text := path.String()
		if owners := s.ownersOf(path); len(owners) > 0 {
			text += ", which " + words.All(owners) + " has"
		}
		all = append(all, text)
	}
	if len(all) == 0 {
		return "", nil
	}
	return made.looked.Shown.Text(fmt.Sprintf("after the handover, the next apply of %s would remove or change what no change of the package explains: %s; "+
		"add it to the package, remove it, or type --force", o.As.Name, words.Some(all, maxNamed))), nil
}

// changing are the fields whose values an apply changes.
func changing(p *merge.Prediction) (*fieldpath.Set, error) {
	fields, err := p.Fields()
	changing := slices.DeleteFunc(fields, func(f merge.TouchedField) bool { return !f.Changes() })
	return fieldpath.NewSet(lists.Map(changing, func(f merge.TouchedField) fieldpath.Path { return f.Path })...), err
}
