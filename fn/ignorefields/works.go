package ignorefields

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/fn/manifestwork"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// traps are the reasons of warnings that stripping a field does not leave it to its owner.
var traps = []string{report.ReasonAtomicParent, report.ReasonRequiredField, report.ReasonSoleFieldManager}

// OfWork returns the purpose of a run that stands for the apply of a work's manifests.
func OfWork(u *manifestwork.Unpacked) Purpose {
	return func(c *Config) { c.rulePaths = u.Paths }
}

// trapsOfWorks warns of fields that the works ignore, and that the agent's next apply would not
// leave to their owners, as it warns of those of other objects.
func (r *run) trapsOfWorks(items []*object.Object) []report.Result {
	severity := severityOf(r.config.OnHandover)
	if r.config.ManifestWorks == policyIgnore || severity == "" {
		return nil
	}
	var results []report.Result
	ignores := false
	for _, item := range items {
		u := r.works.Unpack(item)
		if u == nil || u.Rules == nil {
			continue
		}
		ref := report.RefOf(item.Original())
		places := map[report.Ref]manifestwork.Manifest{}
		for _, m := range u.Manifests {
			places[report.RefOf(m.Root())] = m
		}
		for _, result := range r.runWork(u, items, places) {
			ignores = ignores || result.Tags["reason"] == report.ReasonFieldsIgnored
			m := places[result.Ref]
			if !slices.Contains(traps, result.Tags["reason"]) || m.Object == nil {
				continue
			}
			result.Severity, result.Ref, result.File = severity, ref, item.File()
			result.Field.Path = m.At.String() + "." + result.Field.Path
			results = append(results, result)
		}
	}
	if ignores && !r.live.areGiven() {
		results = append(results, report.New(report.SeverityInfo, report.ReasonSoleFieldManager,
			"a new object gets the ignored fields from the agent, which then owns them alone: a change of the work removes or resets those "+
				"that no other manager has changed by then; with live objects, each of them is named"))
	}
	return results
}

// runWork runs the rules of a work on its manifests, beside what else is in the list.
func (r *run) runWork(u *manifestwork.Unpacked, items []*object.Object, places map[report.Ref]manifestwork.Manifest) []report.Result {
	var all []*object.Object
	managers := []string{}
	for _, m := range u.Manifests {
		if all = append(all, m.Object.Copy()); m.IsServerSide() && !slices.Contains(managers, m.Manager) {
			managers = append(managers, m.Manager)
		}
	}
	for _, item := range items {
		if r.live.has(item) || item.IsSchema {
			all = append(all, item)
		}
	}
	options := Options{Purpose: func(c *Config) {
		OfWork(u)(c)
		c.about = func(ref report.Ref) string { return fmt.Sprintf("%s (%s): ", places[ref].At, ref) }
		c.OnHandover, c.OnNoMatch, c.Live.PathPrefix = policyWarn, policyIgnore, r.config.Live.PathPrefix
		if len(managers) == 1 {
			c.Live.FieldManager = managers[0]
		}
	}}
	_, results := options.Run(u.Rules, all, r.mask)
	return results
}
