package applyoperations

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
)

// absence is an object that an operation has not found and does not need.
type absence struct {
	by     string // operations[3]
	target report.Ref
	near   *entry // nil where there is none
}

// noteAbsence notes that the operation that is being carried out has not found its object.
func (s *store) noteAbsence(target report.Ref) {
	s.absences = append(s.absences, absence{by: s.by, target: target, near: s.near(target)})
}

// result returns an info, or a warning where an object is near that the operation may mean.
func (a absence) result() report.Result {
	result := report.Result{
		Message:  fmt.Sprintf("%s: %s is not there, so nothing is done", a.by, fullName(a.target)),
		Severity: report.SeverityInfo, Ref: a.target, Field: report.Field{Path: a.by}, Tags: map[string]string{"reason": report.ReasonNotThere},
	}
	if a.near != nil {
		result.Severity = report.SeverityWarning
		result.Message += nearHint(a.target, a.near.ref)
	}
	return result
}

// nearHint names an object that is there, and the fields that it differs in.
func nearHint(target, near report.Ref) string {
	hint := ", but " + fullName(near) + " is"
	separator := ", written with "
	for _, field := range []struct{ name, is, want string }{
		{"apiVersion", near.APIVersion, target.APIVersion}, {"kind", near.Kind, target.Kind},
		{"namespace", near.Namespace, target.Namespace}, {"name", near.Name, target.Name},
	} {
		switch {
		case field.is == field.want || field.name == "apiVersion" && field.want == "":
			continue
		case field.is == "":
			hint += separator + "no " + field.name
		default:
			hint += separator + field.name + ": " + field.is
		}
		separator = ", "
	}
	return hint
}

// maxCompared is how many names are compared for hints in a run.
const maxCompared = 2_000_000

// near returns the object that an operation may mean whose target is not there, nil where there is
// none, or the search for such objects has taken long already. Of several, it is the first of those
// that differ least.
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

// mayBeMeant tells whether the name of a target may be a slip for that of an object: in the
// namespace or apiVersion, or in a letter or the case of the kind or the name. Similar names in
// different namespaces are those of two objects.
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
