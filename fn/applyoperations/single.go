package applyoperations

import (
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Single is a compiled operation that is run by itself.
type Single struct {
	operation operation
	limits    config.Limits
}

// Singles compiles a functionConfig for a caller that runs its operations one by one. The results
// are errors.
func Singles(functionConfig *tree.Node) ([]Single, []report.Result) {
	operations, limits, faults := compile(functionConfig)
	if len(faults) > 0 {
		return nil, report.FaultResults(faults, report.RefOf(functionConfig), report.FileOf(functionConfig))
	}
	singles := make([]Single, len(operations))
	for i, op := range operations {
		singles[i] = Single{operation: op, limits: limits}
	}
	return singles, nil
}

// Path is the operation's place in the functionConfig: `operations[3]`.
func (s Single) Path() string { return s.operation.path }

// Target is the object that the operation names. Its apiVersion may be missing.
func (s Single) Target() report.Ref { return s.operation.target }

// Cascade says what a deletion does with dependents: foreground, background or orphan; "" for other
// operations.
func (s Single) Cascade() string { return s.operation.cascade }

// IsStatus tells whether a patch changes only the status.
func (s Single) IsStatus() bool { return s.operation.statusOnly }

// IsLocked tells whether the operation asks for a resourceVersion.
func (s Single) IsLocked() bool { return s.operation.resourceVersion != "" }

// Run runs the operation on items, as the function Run does with all of them.
func (s Single) Run(items []*object.Object) ([]*object.Object, []report.Result) {
	return runAll([]operation{s.operation}, s.limits, items)
}
