// Package suggest makes IgnoreFields rules for the differences between a package and the cluster.
//
// Only fields of the package can be stripped, so only those are compared: fields that only the
// cluster has, such as defaults, are no difference. Left out are fields that the server sets, and
// those that only the applier of the package has set on the cluster: there, the package has changed
// since.
package suggest

import (
	"slices"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/krm/report"
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
	// FieldManager is the field manager that the package is applied with, in addition to those of
	// kubectl apply.
	FieldManager string
	// IncludeEdits is true if fields that a person has set by hand get a rule, too.
	IncludeEdits bool
	// Manager is a glob of the managers whose fields get rules; "" for all.
	Manager string
}

// Outcome is the outcome of a comparison.
type Outcome struct {
	// Config is the functionConfig, or nil if no field needs a rule.
	Config *tree.Node
	// Patches is an ApplyPatches that mends what is wrong with the package, or nil.
	Patches *tree.Node
	// Results report what gets no rule and why, as infos. Errors are objects with several possible
	// live objects; then there is no Config.
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

// Suggest compares the objects of a package with those on the cluster. The error is a
// *VerificationError.
func Suggest(desired, live []*object.Object, options Options) (Outcome, error) {
	owners := ownersIn(desired, live)
	schemas := schemasOf(desired)
	pairs, results := pair(desired, live, func(p *pairOfObjects) {
		p.owners = owners[p.object]
		p.compare(options, schemas)
		p.widenToAtomic(p.schema(schemas))
		p.combineElements()
		p.release()
	})
	out := Outcome{Results: results, Compared: len(pairs)}
	if fn.HasError(results) {
		return out, nil
	}
	takesLive := intoStrings(pairs)
	hasManagers := func(p *pairOfObjects) bool { return p.hasManagers }
	differs := func(p *pairOfObjects) bool { return len(p.differences) > 0 }
	if !slices.ContainsFunc(pairs, hasManagers) && slices.ContainsFunc(pairs, differs) {
		out.Results = append(out.Results, report.New(report.SeverityInfo, report.ReasonNoRule, "the live objects have no managedFields, "+
			"so it is not known who set a field; kubectl get --show-managed-fields -o yaml shows them"))
	}
	for _, p := range pairs {
		for _, remark := range p.remarks {
			out.Results = append(out.Results, report.New(report.SeverityInfo, report.ReasonNoRule, remark).Of(p.ref, p.file))
		}
	}
	rules := group(pairs, desired)
	if len(rules) == 0 {
		return out, nil
	}
	out.Config = write(options.Name, rules, takesLive, out.Results)
	if !takesLive {
		live = nil
	}
	return out, verifyPairs(out.Config, pairs, live)
}
