package applyoperations

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Single is a compiled operation that is run by itself.
type Single struct {
	operation
	limits guard.What
}

// Singles compiles a functionConfig for a caller that runs its operations one by one. The results
// are errors. The mask gets the Secrets that they write.
func Singles(functionConfig *tree.Node, mask *redact.Mask) ([]Single, []report.Result) {
	operations, limits, faults := compile(functionConfig, true, mask)
	if len(faults) > 0 {
		results := report.FaultResults(faults, report.RefOf(functionConfig), report.FileOf(functionConfig))
		report.Redact(results, mask)
		return nil, results
	}
	return lists.Map(operations, func(op operation) Single { return Single{op, limits} }), nil
}

// For returns the operation for a live object that its target means.
func (s Single) For(ref report.Ref) Single {
	s.Target.APIVersion, s.Target.Kind, s.Target.Namespace = ref.APIVersion, ref.Kind, ref.Namespace
	return s
}

// Run runs the operation on items, as the function Run does with all of them. If the status is
// plain, it is a field like any other.
func (s Single) Run(items []*object.Object, plainStatus bool) ([]*object.Object, []report.Result) {
	return newRun(items, plainStatus).all([]operation{s.operation}, s.limits, items)
}

// StatusAlone returns the result for a patch that changes the status alone and does not name that
// subresource: the API server then changes nothing.
func (s Single) StatusAlone() report.Result {
	return statusAlone(s.Path, s.Target, report.File{})
}

// IsOfStatusAlone tells whether a raw patch that does not name the subresource is one of the status
// alone.
func (s Single) IsOfStatusAlone() bool {
	raw, found := s.Raw, false
	if raw == nil || s.IsStatus {
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
