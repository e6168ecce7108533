// Package suggest makes IgnoreFields rules for the differences between a package and the cluster.
//
// Only fields of the package can be stripped, so only those are compared: fields that only the
// cluster has, such as defaults, are no difference. Left out are fields that the server sets, and
// those that only the applier of the package has set on the cluster: there, the package has changed
// since.
package suggest

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// The default options.
const (
	DefaultName         = "owned-by-others"
	DefaultFieldManager = "kpt"
)

// Options are the choices of the caller.
type Options struct {
	// Name is the name of the configuration.
	Name string
	// FieldManager is the field manager that the package is applied with; where it has no entry,
	// those of kubectl apply are.
	FieldManager string
	// IncludeEdits is true if fields that a person has set by hand get a rule, too.
	IncludeEdits bool
	// Manager is a glob of the managers whose fields get rules; "" for all.
	Manager string
	// Objects tell which objects failed, where several have the fields of a failed apply.
	Objects []func(report.Ref) bool
	// Mask hides the values of Secrets in the text of a failed apply; nil for those of its objects.
	Mask *redact.Mask
}

// Suggestions are the outcome of a comparison.
type Suggestions struct {
	// Config is the functionConfig, or nil if no field needs a rule.
	Config *tree.Node
	// Patches is an ApplyPatches that mends what is wrong with the package, or nil.
	Patches *tree.Node
	// Results report what gets no rule and why, as infos. Errors are objects whose live ones are
	// not known, and conflicts of a failed apply that get no rule.
	Results []report.Result
	// Compared is the number of objects on both sides.
	Compared int
}

// VerificationError is a configuration that does not have its intended effect: a fault of this
// package, not of the user.
type VerificationError struct {
	Reason string
}

func (e *VerificationError) Error() string {
	return "the suggested rules failed their verification: " + e.Reason
}

// Suggest compares the objects of a package with those on the cluster.
func Suggest(w *world.World, options Options) (Suggestions, error) {
	desired := slices.Concat(w.Objects, w.DefinitionsBeside())
	pairs, results := differing(w, desired, options)
	out := Suggestions{Results: slices.Concat(withoutOwners(pairs), results)}
	for _, p := range pairs {
		if p.isLive {
			out.Compared++
		}
	}
	takesLive := intoStrings(pairs)
	for _, p := range pairs {
		for _, r := range p.remarks {
			out.Results = append(out.Results, report.New(report.SeverityInfo, report.ReasonNoRule, r.String()).Of(p.ref, p.file))
		}
	}
	live := w.Live
	if !takesLive {
		live = nil
	}
	rules, left := verified(group(pairs, desired), pairs, live, options, takesLive)
	if out.Results = append(out.Results, left...); len(rules) > 0 {
		out.Config = write(options.Name, rules, takesLive, out.Results)
		leaveHashOut(out.Config, pairs)
	}
	return out, nil
}

// differing returns the pairs of a world with what differs in them, and what others own of the
// package's objects.
func differing(w *world.World, desired []*object.Object, options Options) ([]*pairOfObjects, []report.Result) {
	trace, _ := runFromOwners(desired, w.Live)
	return pair(w, ownersOf(desired, trace), func(p *pairOfObjects) {
		c := p.compare(w, options)
		p.widenToAtomic()
		c.addOwned()
		p.combineElements()
		p.release()
	})
}

// withoutOwners warns of live objects without managedFields.
func withoutOwners(pairs []*pairOfObjects) []report.Result {
	without := slices.DeleteFunc(slices.Clone(pairs), func(p *pairOfObjects) bool { return p.hasManagers || !p.isLive })
	if len(without) == 0 {
		return nil
	}
	return []report.Result{report.New(report.SeverityWarning, report.ReasonNoManagedFields,
		world.NoOwners(len(without), without[0].ref)+": there is no rule for what only differs")}
}
