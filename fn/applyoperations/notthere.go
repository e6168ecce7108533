package applyoperations

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// absence reports that the object of an operation does not exist, which is no error.
type absence struct {
	by     string // operations[3]
	target report.Ref
	near   *entry // nil where there is none
	file   report.File
	// isStatus is true if the object exists, and the patch would have changed its status alone.
	isStatus bool
}

// noteStatusAlone records that the current operation would have changed the status alone, which it
// must leave as it is.
func (s *store) noteStatusAlone(e *entry, before, after *tree.Node) {
	was, is := tree.Lookup(before, "status"), tree.Lookup(after, "status")
	isSame := was == is || was != nil && is != nil && tree.Equal(was, is)
	if !isSame && tree.Equal(e.object.Root(), before) {
		s.absences = append(s.absences, absence{by: s.current.Load().Path, target: e.ref, file: e.object.File(), isStatus: true})
	}
}

// noteAbsence records that the object of the current operation does not exist.
func (s *store) noteAbsence() {
	op := s.current.Load()
	s.absences = append(s.absences, absence{by: op.Path, target: op.Target, near: s.near(op.Target)})
}

// result returns an info, or a warning if the operation may mean another object.
func (a absence) result() report.Result {
	result := report.Result{
		Message:  fmt.Sprintf("%s: %s does not exist, so nothing is done", a.by, fullName(a.target)),
		Severity: report.SeverityInfo, Ref: a.target, Field: report.Field{Path: a.by}, Tags: map[string]string{"reason": report.ReasonNotThere},
	}
	if a.isStatus {
		result.Severity, result.File = report.SeverityWarning, a.file
		result.Message = fmt.Sprintf(
			"%s: a patch without a subresource leaves the status of %s as it is, so nothing is done; write subresource: status", a.by, a.target)
	}
	if a.near != nil {
		result.Severity = report.SeverityWarning
		result.Message += nearHint(a.near.ref)
	}
	return result
}

// nearHint names a similar object.
func nearHint(near report.Ref) string { return "; did you mean " + fullName(near) + "?" }

// maxCompared bounds how many names a run compares for hints.
const maxCompared = 2_000_000

// near returns the existing object that the target of an operation may mean, nil if there is none
// or the run has compared too many names. Of several, it is the first of those that differ least.
func (s *store) near(target report.Ref) *entry {
	if s.compared += len(s.all); s.compared > maxCompared {
		return nil
	}
	var nearest *entry
	least := 0
	for _, e := range s.all {
		if e.gone || !mayBeMeant(target, e.ref) {
			continue
		}
		if d := differences(target, e.ref); nearest == nil || d < least {
			nearest, least = e, d
		}
	}
	return nearest
}

// mayBeMeant tells whether the name of a target may be a misspelled name of an object: another
// namespace or apiVersion, or another letter or case in the kind or the name. Similar names in
// different namespaces are different objects.
func mayBeMeant(target, ref report.Ref) bool {
	if !words.IsSlip(target.Kind, ref.Kind) || !words.IsSlip(target.Name, ref.Name) {
		return false
	}
	return target.Name == ref.Name || target.Namespace == ref.Namespace
}

func differences(target, ref report.Ref) int {
	count := 0
	for _, differs := range []bool{
		target.APIVersion != "" && target.APIVersion != ref.APIVersion, target.Kind != ref.Kind,
		target.Namespace != ref.Namespace, target.Name != ref.Name,
	} {
		if differs {
			count++
		}
	}
	return count
}
