package applypatches

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxShown bounds how many changed fields a message lists.
const maxShown = 20

// results returns the result about the object, if there is one.
func (j *job) results() []report.Result {
	switch {
	case j.err != nil:
		return []report.Result{j.failed(j.err)}
	case j.removedBy != "":
		removed := j.newResult(report.SeverityInfo, report.ReasonRemoved, j.removedBy+": removed from the list")
		removed.Field.Path = j.removedBy
		return []report.Result{removed}
	case len(j.changes) > 0:
		return []report.Result{j.patched()}
	}
	return nil
}

// Report implements guard.Reporter.
func (j *job) Report(err error) report.Result { return j.failed(&failure{*j.place.Load(), err}) }

func (j *job) newResult(severity, reason, message string) report.Result {
	return report.New(severity, reason, message).Of(j.ref, j.file).Redacted(j.mask())
}

// mask hides the values of a Secret, those that patches put there, and those that expressions in
// paths derived from it.
func (j *job) mask() redact.Mask {
	others := slices.Concat(j.run.secrets, j.reader.secrets)
	mask := redact.New(append([]*tree.Node{j.object.Original(), j.object.Root()}, others...)...)
	if mask.IsZero() {
		return mask
	}
	if len(j.made) == 0 {
		return mask
	}
	public := redact.New(append([]*tree.Node{j.object.Original()}, others...)...).Public()
	return mask.With(slices.DeleteFunc(slices.Clone(j.made), func(text string) bool { return public[text] })...)
}

// failed returns the result of a *failure, or of an object that can't be written.
func (j *job) failed(err error) report.Result {
	result := j.newResult(report.SeverityError, report.ReasonPatchError, j.mask().Error(err))
	if f, ok := errors.AsType[*failure](err); ok {
		result.Field.Path = f.at
	}
	if expression := expressionOf(err); expression != "" {
		result.Tags["expression"] = j.mask().Text(expression)
	}
	return result
}

// expressionOf returns the expression or the path that failed, or "".
func expressionOf(err error) string {
	if e, ok := errors.AsType[*cel.EvalError](err); ok {
		return e.Expression
	}
	if e, ok := errors.AsType[*guard.LimitError](err); ok {
		return e.Text
	}
	if e, ok := errors.AsType[*patchpath.ResolveError](err); ok {
		return e.Path
	}
	return ""
}

// patched returns the result that lists the changed fields, each at its place when it was changed.
func (j *job) patched() report.Result {
	var names []string
	seen, mask := map[string]bool{}, j.mask()
	for _, c := range j.changes {
		name := fmt.Sprintf("%s (%s)", c.shown(mask), c.by)
		if !seen[name] {
			names = append(names, name)
		}
		seen[name] = true
	}
	count, more := words.Count(len(names), "field"), ""
	if len(names) > maxShown {
		more = fmt.Sprintf(" and %d more", len(names)-maxShown)
		names = names[:maxShown]
	}
	result := j.newResult(report.SeverityInfo, report.ReasonPatched, strings.Join(names, ", "))
	result.Message = count + " patched: " + result.Message + more // the counts show nothing of a Secret
	result.Field = j.firstField(mask)
	if !j.object.IsEncrypted() {
		return result
	}
	for _, p := range j.run.patches {
		result.NamedBy = cmp.Or(result.NamedBy, p.target.selection.NamedBy(j.identify()))
	}
	return result
}

// shown returns where a field is. Of the keys inside a Secret's values it shows those that the path
// of the operation has.
func (c fieldChange) shown(mask redact.Mask) string {
	if len(c.inside) == 0 || mask.IsZero() {
		return c.String()
	}
	return mask.Text(embedded.Text(c.location, embedded.Hidden(c.inside, c.path)))
}

// firstField returns the field that was changed first, with its value in the input.
func (j *job) firstField(mask redact.Mask) report.Field {
	first := j.changes[0]
	field := report.Field{Path: mask.Text(first.shown(mask))}
	if first.isNew || len(first.inside) > 0 {
		return field
	}
	if before := location.At(j.object.Original(), first.location); before != nil {
		field.HasCurrent, field.Current = true, mask.Value(first.location, tree.Value(before))
	}
	return field
}
