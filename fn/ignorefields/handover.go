package ignorefields

import (
	"fmt"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/managedfields"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
)

// handover tells of a stripped field that the next apply does not leave to its owner.
// The text says why, without the values of Secrets.
type handover func(reason string, field found, text func() string)

// reportHandovers reports stripped fields that leaving out does not leave to
// their owners: once for each rule, kind and reason.
func (j *job) reportHandovers() {
	severity := report.Warning
	switch j.run.config.OnHandover {
	case policyIgnore:
		return
	case policyError:
		severity = report.Error
	}
	kind := match.Kind{Group: j.name.Group, Kind: j.name.Kind}
	tell := func(reason string, field found, text func() string) {
		by := field.by
		j.notice(j.keyOf(by, by.rulePath, reason, kind), func() report.Result {
			return report.Result{
				Message: by.path + ": " + text(), Severity: severity, Ref: j.ref, File: j.file,
				Field: report.Field{Path: field.location.String()}, Tags: by.tags(reason, field.condition),
			}
		})
	}
	j.soleOwned(tell)
	j.notLeft(tell)
}

// soleOwned tells of the stripped fields that one manager alone owns in the live
// object, so that its next apply without them removes them.
func (j *job) soleOwned(tell handover) {
	if j.there == nil {
		return
	}
	entries := managedfields.Of(j.there)
	if len(entries) == 0 {
		return
	}
	mask := j.mask
	if !mask.IsZero() {
		mask = redact.New(j.object.Original(), j.there)
	}
	counterparts := managedfields.NewCounterparts(entries, j.object.Original(), j.there)
	for _, f := range j.present() {
		l, root, where := f.location, j.there, "on the cluster"
		if at, ok := counterparts.Find(f.location); ok {
			l = at
		} else {
			root, where = j.object.Original(), "in the package"
		}
		sole, ok := managedfields.SoleOwner(entries, l, root, j.run.config.Live.FieldManager)
		if !ok {
			continue
		}
		tell(report.SoleFieldManager, f, func() string {
			return fmt.Sprintf(
				"%s, %s %s, is owned by %s alone: the next apply without it removes it or resets it to its default; "+
					"let its new owner apply it first", f.location, valueText(mask, l, locate.At(root, l)), where, ownerOf(sole))
		})
	}
}

// ownerOf names a sole owner for a message.
func ownerOf(sole managedfields.Sole) string {
	if sole.TakenOverBy == "" {
		return fmt.Sprintf("%q", sole.Manager)
	}
	return fmt.Sprintf("%q (which %q takes over)", sole.Manager, sole.TakenOverBy)
}
