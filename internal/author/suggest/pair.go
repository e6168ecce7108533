package suggest

import (
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// pairOfObjects is an object of the package and its live object.
type pairOfObjects struct {
	object        *object.Object // of the package; nil for a document in a string
	desired, live *tree.Node
	ref           report.Ref
	file          report.File
	mask          redact.Mask
	// owners are the objects that own fields of the package, by the pointers of the fields.
	owners      map[string]string
	differences []difference
	// remarks report what gets no rule, and why.
	remarks []string
}

// pair finds the live object for each object of the package, as a run does.
func pair(desired, live []*object.Object) ([]*pairOfObjects, []report.Result) {
	index := hostless.Index(live)
	var pairs []*pairOfObjects
	var results []report.Result
	for _, o := range desired {
		p, result := pairOf(o, index, func(i int) *tree.Node { return live[i].Root() })
		switch {
		case result != nil:
			results = append(results, *result)
		case p != nil:
			pairs = append(pairs, p)
		}
	}
	return pairs, results
}

// pairOf returns the pair of an object of the package, of which live returns the data of the live
// one, and a result where there is none or several; nil for an object that is not for a cluster.
func pairOf(o *object.Object, index *selector.Live, live func(i int) *tree.Node) (*pairOfObjects, *report.Result) {
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
		p.live = live(i)
		p.mask = redact.New(p.desired, p.live)
		return p, nil
	}
	return p, &result
}
