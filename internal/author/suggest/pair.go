package suggest

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// pairOfObjects is an object of the package and its live object.
type pairOfObjects struct {
	object *object.Object // of the package; nil for a document in a string
	// desired and live are the data, until it is released.
	desired, live *tree.Node
	isLive        bool // whether there is a live object
	hasManagers   bool // whether that has managedFields
	entries       []managedfields.Entry
	ref           report.Ref
	file          report.File
	shown         redact.Object
	kind          *schema.Kind
	// isAlike is true as long as nothing differs, be it what needs no rule.
	isAlike bool
	// owners are the fields of the package that other objects own.
	owners      owned
	differences []difference
	// hashOwner is who owns an empty map of annotations, with whom the object hash would conflict;
	// "" for nobody.
	hashOwner string
	// remarks report what gets no rule, and why.
	remarks []remark
}

// pair returns the pairs of a world that have a live object, and calls compare for each, in
// several goroutines. Among them are the objects without a live one of which others own fields.
func pair(w *world.World, owners map[*object.Object]owned, compare func(p *pairOfObjects)) ([]*pairOfObjects, []report.Result) {
	each, faults := make([]*pairOfObjects, len(w.Objects)), make([][]report.Result, len(w.Objects))
	_, _ = w.Schemas()                                    // before they are asked for side by side
	_ = parallel.Each(len(w.Objects), func(i int) error { // none fails
		o := w.Objects[i]
		if hostless.IsLocal(o) {
			return nil
		}
		of, results := w.Pair(o)
		if faults[i] = results; of.Live == nil {
			if len(owners[o]) > 0 {
				each[i] = unpaired(o, owners[o])
			}
			return nil
		}
		each[i] = &pairOfObjects{
			object: o, desired: of.Desired, live: of.Live, isLive: true, entries: of.Entries,
			ref: of.Ref, file: of.File, shown: of.Shown, kind: w.Kind(of.Ref), owners: owners[o],
			hasManagers: managedfields.AreKnown(of.Entries, of.Live, of.Desired),
		}
		if o.IsEncrypted() {
			faults[i] = append(faults[i], report.Encrypted("").Of(of.Ref, of.File))
			return nil
		}
		compare(each[i])
		return nil
	})
	return slices.DeleteFunc(each, func(p *pairOfObjects) bool { return p == nil }), slices.Concat(faults...)
}

// unpaired is an object of the package without a live one, with the fields that others own.
func unpaired(o *object.Object, fields owned) *pairOfObjects {
	root := o.Copy().Root()
	p := &pairOfObjects{object: o, desired: root, ref: report.RefOf(root), file: o.File(), shown: redact.Of(root), owners: fields}
	for _, f := range fields.inOrder() {
		at := pairedLocation{here: f.Location, there: f.Location, steps: hint.Of(f.Location)}
		p.differences = append(p.differences, difference{place: at, here: location.At(root, f.Location), owner: f.Owner})
	}
	p.combineElements()
	return p
}

// release lets go of the data, since that of all objects at once would take much memory. What may
// be compared as documents in strings, and what may be a Secret's, stays.
func (p *pairOfObjects) release() {
	isString := func(d difference) bool { return tree.Type(d.here) == tree.String && tree.Type(d.there) == tree.String }
	if p.shown.HasSecret() || slices.ContainsFunc(p.differences, isString) {
		return
	}
	p.desired, p.live, p.entries, p.shown = nil, nil, nil, redact.Object{}
	for i := range p.differences {
		d := &p.differences[i]
		d.here, d.there = tree.Copy(d.here), tree.Copy(d.there)
		d.owners = lists.Map(d.owners, managedfields.Entry.Head)
	}
}
