package ignorefields

import (
	"fmt"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/managedfields"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
)

// handover is a stripped field that the next apply does not leave to its owner.
type handover struct {
	reason string
	field  found
	// text says why, without the values of Secrets.
	text func() string
}

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
	for _, h := range append(j.soleOwned(), j.notLeft()...) {
		by := h.field.by
		j.notice(j.keyOf(by, by.rulePath, h.reason, kind), func() report.Result {
			return report.Result{
				Message: by.path + ": " + h.text(), Severity: severity, Ref: j.ref, File: j.file,
				Field: report.Field{Path: h.field.location.String()}, Tags: by.tags(h.reason, h.field.condition),
			}
		})
	}
}

// soleOwned returns the stripped fields that one manager alone owns in the live
// object, so that its next apply without them removes them.
func (j *job) soleOwned() []handover {
	if j.there == nil {
		return nil
	}
	entries := managedfields.Of(j.there)
	if len(entries) == 0 {
		return nil
	}
	mask := j.mask
	if !mask.IsZero() {
		mask = redact.New(j.object.Original(), j.there)
	}
	counterparts := managedfields.NewCounterparts(entries, j.object.Original(), j.there)
	var handovers []handover
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
		handovers = append(handovers, handover{reason: report.SoleFieldManager, field: f, text: func() string {
			return fmt.Sprintf(
				"%s, %s %s, is owned by %s alone: the next apply without it removes it or resets it to its default; "+
					"let its new owner apply it first", f.location, valueText(mask, l, locate.At(root, l)), where, ownerOf(sole))
		}})
	}
	return handovers
}

// ownerOf names a sole owner for a message.
func ownerOf(sole managedfields.Sole) string {
	if sole.TakenOverBy == "" {
		return fmt.Sprintf("%q", sole.Manager)
	}
	return fmt.Sprintf("%q (which %q takes over)", sole.Manager, sole.TakenOverBy)
}
