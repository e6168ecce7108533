package applyoperations

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Single is a compiled operation that is run by itself.
type Single struct {
	operation operation
	limits    guard.What
}

// Singles compiles a functionConfig for a caller that runs its operations one by one. The results
// are errors.
func Singles(functionConfig *tree.Node) ([]Single, []report.Result) {
	operations, limits, faults := compile(functionConfig, true)
	if len(faults) > 0 {
		return nil, report.FaultResults(faults, report.RefOf(functionConfig), report.FileOf(functionConfig))
	}
	singles := make([]Single, len(operations))
	for i, op := range operations {
		singles[i] = Single{operation: op, limits: limits}
	}
	return singles, nil
}

// Name is the name of the operation: JQPatch.
func (s Single) Name() string { return s.operation.name }

// Path is the operation's place in the functionConfig: `operations[3]`.
func (s Single) Path() string { return s.operation.path }

// Target is the object that the operation names. Its apiVersion may be missing.
func (s Single) Target() report.Ref { return s.operation.target }

// For returns the operation for a live object that its target means.
func (s Single) For(ref report.Ref) Single {
	s.operation.target.APIVersion, s.operation.target.Kind = ref.APIVersion, ref.Kind
	return s
}

// NeedsObject tells whether the operation is of an object that exists.
func (s Single) NeedsObject() bool { return s.operation.needsObject }

// Raw is the patch that an API server runs by itself, a map or a list; nil for other operations.
func (s Single) Raw() *tree.Node { return s.operation.raw }

// ResourceVersion is the one that the object must have; "" for any.
func (s Single) ResourceVersion() string { return s.operation.resourceVersion }

// Cascade says what a deletion does with dependents: foreground, background or orphan; "" for other
// operations.
func (s Single) Cascade() string { return s.operation.cascade }

// IsStatus tells whether a patch changes only the status.
func (s Single) IsStatus() bool { return s.operation.statusOnly }

// Run runs the operation on items, as the function Run does with all of them. If the status is
// plain, it is a field like any other.
func (s Single) Run(items []*object.Object, plainStatus bool) ([]*object.Object, []report.Result) {
	return runAll([]operation{s.operation}, s.limits, items, plainStatus)
}

// StatusAlone returns the result for a patch that changes the status alone and does not name that
// subresource: the API server then changes nothing.
func (s Single) StatusAlone() report.Result {
	return absence{by: s.operation.path, target: s.operation.target, isStatus: true}.result()
}

// IsOfStatusAlone tells whether a raw patch that does not name the subresource is one of the status
// alone.
func (s Single) IsOfStatusAlone() bool {
	raw, found := s.operation.raw, false
	if raw == nil || s.operation.statusOnly {
		return false
	}
	for key := range tree.Entries(raw) {
		switch key {
		case "status":
			found = true
		case "apiVersion", "kind":
		default:
			return false
		}
	}
	for _, op := range tree.Elements(raw) {
		path := tree.GetString(op, "path")
		if path != "/status" && !strings.HasPrefix(path, "/status/") {
			return false
		}
		found = true
	}
	return found
}
