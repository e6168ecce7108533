package applypatches

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
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
		return []report.Result{j.newResult(report.SeverityInfo, report.ReasonRemoved, j.removedBy+": removed from the list").At(j.removedBy)}
	case len(j.changes) > 0:
		return slices.Concat([]report.Result{j.patched()}, j.envWarnings(), j.warnings)
	}
	return j.warnings
}

// Report implements guard.Reporter.
func (j *job) Report(err error) report.Result { return j.failed(&failure{*j.place.Load(), err}) }

func (j *job) newResult(severity, reason, message string) report.Result {
	return report.New(severity, reason, message).Of(j.ref, j.file)
}

// shown is what may be shown of the object as it came and as it stands.
func (j *job) shown() redact.Object { return j.object.Shown(j.object.Original(), j.object.Root()) }

// failed returns the result of a *failure, or of an object that can't be written.
func (j *job) failed(err error) report.Result {
	mask, hasSecret := j.run.mask.With(j.object.Root()), j.seesSecret() || j.shown().HasSecret()
	made := slices.DeleteFunc(slices.Clone(j.made), func(n *tree.Node) bool { return !hasSecret && mask.Text(n.Text()) == n.Text() })
	if len(made) > 0 {
		mask = mask.WithMade(made...)
	}
	result := j.newResult(report.SeverityError, report.ReasonPatchError, mask.Error(err, hasSecret))
	if f, ok := errors.AsType[*failure](err); ok {
		result.Field.Path = f.at
	}
	if expression := expressionOf(err); expression != "" {
		result.Tags["expression"] = mask.Expression(expression)
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
	seen, o := map[string]bool{}, j.shown()
	for _, c := range j.changes {
		name := fmt.Sprintf("%s (%s)", c.shown(o), c.by)
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
	result := j.newResult(report.SeverityInfo, report.ReasonPatched, count+" patched: "+strings.Join(names, ", ")+more)
	result.Field = j.firstField(o)
	if !j.object.IsEncrypted() {
		return result
	}
	for _, p := range j.run.patches {
		result.NamedBy = cmp.Or(result.NamedBy, p.target.selection.NamedBy(j.identify()))
	}
	return result
}

// shown returns where a field is. Of the keys that are not shown, and those inside a Secret's
// values, it has those that the path of the operation has.
func (c fieldChange) shown(o redact.Object) string {
	if !o.HasSecret() {
		return c.String()
	}
	return embedded.Text(o.Location(c.location), embedded.Hidden(c.inside, c.path))
}

// firstField returns the field that was changed first, with its value in the input.
func (j *job) firstField(o redact.Object) report.Field {
	first := j.changes[0]
	field := report.Field{Path: first.shown(o)}
	before := first.before
	if len(first.inside) == 0 {
		before = j.object.OriginalAt(first.location)
	}
	switch {
	case first.isNew || before == nil:
		return field
	case len(first.inside) > 0 && o.HasSecret():
		field.Current = redact.Masked
	default:
		field.Current = o.Value(first.location, tree.Value(before))
	}
	field.HasCurrent = true
	return field
}
