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
	differences   []difference
	// remarks report what gets no rule, and why.
	remarks []string
}

// pair finds the live object for each object of the package, as a run does.
func pair(desired, live []*object.Object) ([]*pairOfObjects, []report.Result) {
	index := hostless.Index(live)
	var pairs []*pairOfObjects
	var results []report.Result
	for _, o := range desired {
		identity := selector.Of(o.Root())
		if identity.IsLocal() || identity.IsFunctionConfig() {
			continue
		}
		ref := identity.Ref()
		i, found, err := index.Find(identity.Identity(o.AssumedNamespace))
		switch {
		case err != nil:
			results = append(results, report.New(report.SeverityError, report.ReasonAmbiguousLive, err.Error()).Of(ref, o.File()))
		case !found:
			results = append(results, report.New(report.SeverityInfo, report.ReasonNotLive, "not among the live objects").Of(ref, o.File()))
		default:
			there := live[i].Root()
			pairs = append(pairs, &pairOfObjects{
				object: o, desired: o.Root(), live: there, ref: ref, file: o.File(), mask: redact.New(o.Root(), there),
			})
		}
	}
	return pairs, results
}
