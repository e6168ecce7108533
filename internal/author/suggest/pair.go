package suggest

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/words"
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
	ref           report.Ref
	file          report.File
	mask          redact.Mask
	// owners are the objects that own fields of the package, by the pointers of the fields.
	owners      map[string]string
	differences []difference
	// remarks report what gets no rule, and why.
	remarks []string
}

// pair finds the live object for each object of the package, as a run does, and calls compare for
// both, in several goroutines.
func pair(desired, live []*object.Object, compare func(p *pairOfObjects)) ([]*pairOfObjects, []report.Result) {
	index := hostless.Index(live)
	each, faults := make([]*pairOfObjects, len(desired)), make([]*report.Result, len(desired))
	_ = parallel.Each(len(desired), func(i int) error { // none fails
		p, fault := pairOf(desired[i].Copy(), index, live)
		if faults[i] = fault; p != nil && p.isLive {
			p.object = desired[i]
			compare(p)
			each[i] = p
		}
		return nil
	})
	var results []report.Result
	for _, fault := range faults {
		if fault != nil {
			results = append(results, *fault)
		}
	}
	return slices.DeleteFunc(each, func(p *pairOfObjects) bool { return p == nil }), results
}

// release lets go of the data, since that of all objects at once would take much memory. What may
// be compared as documents in strings, and what may be a Secret's, stays.
func (p *pairOfObjects) release() {
	isString := func(d difference) bool { return tree.Type(d.here) == tree.String && tree.Type(d.there) == tree.String }
	if !p.mask.IsZero() || slices.ContainsFunc(p.differences, isString) {
		return
	}
	p.desired, p.live, p.mask = nil, nil, redact.Mask{}
	for i := range p.differences {
		d := &p.differences[i]
		d.here, d.there = tree.Copy(d.here), tree.Copy(d.there)
		d.owners = words.Of(d.owners, managedfields.Entry.Head)
	}
}

// pairOf returns the pair of an object of the package, of which live returns the data of the live
// one, and a result where there is none or several; nil for an object that is not for a cluster.
func pairOf(o *object.Object, index *selector.Live, live []*object.Object) (*pairOfObjects, *report.Result) {
	identity := selector.Of(o.Root())
	if identity.IsLocal() || identity.IsFunctionConfig() {
		return nil, nil
	}
	p := &pairOfObjects{object: o, desired: o.Root(), ref: identity.Ref(), file: o.File()}
	i, found, err := index.Find(identity.Identity(o.AssumedNamespace))
	var result report.Result
	switch {
	case err != nil:
		result = report.New(report.SeverityError, report.ReasonAmbiguousLive, err.Error()).Of(p.ref, p.file)
	case !found:
		p.mask = redact.New(p.desired)
		result = report.New(report.SeverityInfo, report.ReasonNotLive, "not among the live objects").Of(p.ref, p.file)
	default:
		p.live, p.isLive = live[i].Copy().Root(), true
		p.mask = redact.New(p.desired, p.live)
		return p, nil
	}
	return p, &result
}
