package applyoperations

import (
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// noteStatusAlone records that the current operation, which has changed nothing else, would have
// changed the status, which it must leave as it is.
func (s *store) noteStatusAlone(e *storedObject, before, after *tree.Node) {
	was, is := tree.Lookup(before, "status"), tree.Lookup(after, "status")
	if was != is && (was == nil || is == nil || !tree.Equal(was, is)) {
		s.absences = append(s.absences, statusAlone(s.current.Load().Path, e.ref, e.object.File()))
	}
}

// statusAlone warns of a patch that would have changed the status alone.
func statusAlone(by string, target report.Ref, file report.File) report.Result {
	return report.New(report.SeverityWarning, report.ReasonNotThere, fmt.Sprintf(
		"%s: a patch without a subresource leaves the status of %s as it is, so nothing is done; write subresource: status", by, target),
	).Of(target, file).At(by)
}

// noteAbsence records that the object of the current operation does not exist, which is no error:
// an info, or a warning if the operation may mean another object.
func (s *store) noteAbsence() {
	op := s.current.Load()
	severity, message := report.SeverityInfo, fmt.Sprintf("%s: %s does not exist, so nothing is done", op.Path, fullName(op.Target))
	if near := s.near(op.Target); near != nil {
		severity, message = report.SeverityWarning, message+nearHint(op.Target, near.ref)
	}
	s.absences = append(s.absences, report.New(severity, report.ReasonNotThere, message).Of(op.Target, report.File{}).At(op.Path))
}

// nearHint names a similar object, and its kind where the target has a name of it that only a
// cluster knows.
func nearHint(target, near report.Ref) string {
	hint := "; did you mean " + fullName(near) + "?"
	if kindOf(target.Kind) != target.Kind {
		hint += " In files, write kind: " + near.Kind
	}
	return hint
}

// kindOf returns the kind that kubectl takes a name for: a short name, perhaps with the group.
func kindOf(name string) string {
	name, _, _ = strings.Cut(name, ".")
	if kind, isShort := selector.OfShortName(name); isShort {
		return kind
	}
	return name
}

// maxCompared bounds how many names a run compares for hints.
const maxCompared = 2_000_000

// near returns the first existing object that the target of an operation may mean, nil if there is
// none or the run has compared too many names.
func (s *store) near(target report.Ref) *storedObject {
	if s.compared += len(s.all); s.compared > maxCompared {
		return nil
	}
	target.Kind = kindOf(target.Kind)
	found, _ := lists.Find(s.all, func(e *storedObject) bool { return !e.gone && mayBeMeant(target, e.ref) })
	return found
}

// mayBeMeant tells whether the name of a target may be a misspelled name of an object: another
// namespace or apiVersion, or another letter or case in the kind or the name. Similar names in
// different namespaces are different objects.
func mayBeMeant(target, ref report.Ref) bool {
	isKind := words.IsSlip(target.Kind, ref.Kind) || words.IsSlip(target.Kind, words.Plural(ref.Kind))
	if !isKind || !words.IsSlip(target.Name, ref.Name) {
		return false
	}
	return target.Name == ref.Name || target.Namespace == ref.Namespace
}
