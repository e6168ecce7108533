// Package suggest makes an IgnoreFields configuration of the difference between a package and what
// is on the cluster: with it, that difference goes away.
//
// Only fields of the package can be stripped, so only those are compared: what the cluster has
// besides, such as defaults, is no difference. Left out are fields that the server sets, and those
// that only the applier of the package has set on the cluster: there, the package has changed
// since.
package suggest

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Options are the choices of the caller.
type Options struct {
	// Name is the name of the configuration.
	Name string
	// FieldManager is the field manager that the package is applied with, beside those of kubectl
	// apply.
	FieldManager string
	// IncludeEdits is true if what a person has set by hand gets a rule, too.
	IncludeEdits bool
	// Manager is a glob of the managers whose fields get rules; "" for all.
	Manager string
}

// Outcome is what comes of a comparison.
type Outcome struct {
	// Config is the functionConfig, or nil if no field needs a rule.
	Config *yaml.Node
	// Results say what has no rule and why, as infos. Errors are objects of which it can't be told
	// which live object they are; then there is no Config.
	Results []report.Result
	// Compared is how many objects were found on both sides.
	Compared int
}

// ProofError is a configuration that does not do what it is for: a fault of this package, not of
// the user.
type ProofError struct {
	Reason string
}

func (e *ProofError) Error() string {
	return "the suggestion failed its own test: " + e.Reason
}

// Suggest compares the objects of a package with those on the cluster. The error is a *ProofError.
func Suggest(desired, live []*object.Object, options Options) (Outcome, error) {
	pairs, results := pair(desired, live)
	out := Outcome{Results: results, Compared: len(pairs)}
	if fn.HasError(results) {
		return out, nil
	}
	for _, p := range pairs {
		p.compare(options)
	}
	widen(pairs, desired)
	if err := nameOwners(pairs, desired, live); err != nil {
		return out, err
	}
	for _, p := range pairs {
		p.intoStrings(false)
	}
	if remark, ok := withoutManagers(pairs); ok {
		out.Results = append(out.Results, report.Result{Severity: report.SeverityInfo, Message: remark})
	}
	for _, p := range pairs {
		for _, remark := range p.remarks {
			out.Results = append(out.Results, report.Result{Severity: report.SeverityInfo, Message: remark, Ref: p.ref, File: p.file})
		}
	}
	rules := group(pairs, desired)
	if len(rules) == 0 {
		return out, nil
	}
	out.Config = write(options.Name, rules, out.Results)
	return out, verify(out.Config, pairs, options)
}

// withoutManagers says that owners can't be told, where there are differences.
func withoutManagers(pairs []*pairOfObjects) (string, bool) {
	differ := false
	for _, p := range pairs {
		if len(managedfields.Of(p.live)) > 0 {
			return "", false
		}
		differ = differ || len(p.differences) > 0
	}
	return "the live objects have no managedFields, so it is not known who set a field; " +
		"kubectl get --show-managed-fields -o yaml shows them", differ
}

// name is how comments name an object of a kind: `default/web`.
func name(ref report.Ref) string {
	if ref.Namespace == "" {
		return ref.Name
	}
	return fmt.Sprintf("%s/%s", ref.Namespace, ref.Name)
}
