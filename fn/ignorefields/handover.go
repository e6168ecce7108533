package ignorefields

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
)

// handover reports a stripped field that the next apply does not leave to its owner. The text says
// why, without the values of Secrets.
type handover func(reason string, field rules.Found, text func() string)

// reportHandovers reports stripped fields that stripping does not leave to their owners: once for
// each rule, kind and reason.
func (j *job) reportHandovers() {
	severity := severityOf(j.run.config.OnHandover)
	if severity == "" {
		return
	}
	kind := selector.Kind{Group: j.name.Group, Kind: j.name.Kind}
	tell := func(reason string, field rules.Found, text func() string) {
		by := field.By
		j.notice(j.keyOf(by, by.RulePath, reason, kind), func() report.Result {
			return report.Result{
				Message: by.Path + ": " + text(), Severity: severity, Ref: j.ref, File: j.file,
				Field: report.Field{Path: j.placeOf(field)}, Tags: by.Tags(reason, field.Condition),
			}
		})
	}
	j.reportSoleOwned(tell)
	j.reportNotLeft(tell)
}

// reportSoleOwned reports the stripped fields that only one manager owns in the live object, so
// that its next apply without them removes them.
func (j *job) reportSoleOwned(tell handover) {
	if j.live == nil {
		return
	}
	entries := managedfields.Of(j.live)
	if len(entries) == 0 {
		return
	}
	counterparts := managedfields.NewCounterparts(entries, j.view.Original(), j.live)
	for _, f := range j.present() {
		if len(f.Inside) > 0 {
			continue // the string is owned as a whole
		}
		l, root, where := f.Location, j.live, "on the cluster"
		if at, ok := counterparts.Find(f.Location); ok {
			l = at
		} else {
			root, where = j.view.Original(), "in the package"
		}
		sole, ok := managedfields.SoleOwner(entries, l, root, j.run.config.Live.FieldManager)
		if !ok || f.By.LeavesTo(sole.Manager) {
			continue
		}
		tell(report.ReasonSoleFieldManager, f, func() string {
			return fmt.Sprintf(
				"%s, %s %s, is owned by %s alone: the next apply without it removes it or resets it to its default; "+
					"let its new owner apply it first", f.Location, valueText(redact.New(j.view.Original(), j.live), l, location.At(root, l)), where, ownerOf(sole))
		})
	}
}

// soleOwnerOf returns the only owner, in the live object, of a field that the package's object does
// not have.
func (j *job) soleOwnerOf(missing location.Location) (managedfields.Sole, bool) {
	if j.live == nil || missing == nil {
		return managedfields.Sole{}, false
	}
	entries := managedfields.Of(j.live)
	l, ok := managedfields.NewCounterparts(entries, j.view.Original(), j.live).Find(missing)
	if !ok {
		return managedfields.Sole{}, false
	}
	return managedfields.SoleOwner(entries, l, j.live, j.run.config.Live.FieldManager)
}

// ownerOf names a sole owner for a message.
func ownerOf(sole managedfields.Sole) string {
	if sole.TakenOverBy == "" {
		return fmt.Sprintf("%q", sole.Manager)
	}
	return fmt.Sprintf("%q (which %q takes over)", sole.Manager, sole.TakenOverBy)
}
