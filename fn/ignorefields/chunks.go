package ignorefields

import (
	"bytes"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Chunks is a run that gets its items in chunks, so that they need not be in memory together.
type Chunks struct{ run *run }

// InChunks returns a run in chunks; nil if the functionConfig must see all items at once, or has
// faults.
func (o Options) InChunks(functionConfig *tree.Node, mask *redact.Mask) *Chunks {
	r, _, faults := start(functionConfig, o, mask)
	if len(faults) > 0 {
		return nil
	}
	if needing, _ := r.config.needsLive(); needing != "" || o.Trace != nil || r.config.Live.PathPrefix != "" ||
		r.config.ManifestWorks != policyIgnore || slices.ContainsFunc(r.rules, isFromOwners) || slices.ContainsFunc(r.rules, fromManagers) {
		return nil
	}
	r.live, r.schemas = liveOf(r.config.Live, nil), &schemas{}
	return &Chunks{run: r}
}

// Run runs on the next items. It returns the items that come out and their results; false if the
// run must see all items at once after all: then nothing that it has returned is of use.
func (c *Chunks) Run(items []*object.Object) ([]*object.Object, []report.Result, bool) {
	r := c.run
	if r.sum.ended {
		return items, nil, true
	}
	if slices.ContainsFunc(items, c.isForOthers) {
		return items, nil, false
	}
	outcomes := r.process(items)
	if r.limits.Compilation.Err() != nil || len(ownFaults(outcomes)) > 0 {
		return items, nil, false
	}
	results := r.chunkResults(items, outcomes)
	r.before += len(items)
	return r.itemsOut(items, outcomes), results, true
}

// isForOthers tells whether what happens to other items may depend on an item: a live object, a
// definition, an autoscaler of Pods, or one whose own rules ask for the owners among all, or may
// find what an autoscaler changes.
func (c *Chunks) isForOthers(item *object.Object) bool {
	has := func(word string) bool { return bytes.Contains(item.Source(), []byte(word)) }
	if c.run.config.Live.isLive(item) || has("CustomResourceDefinition") || has(podAutoscaler) && c.run.mayFindRequests() {
		return true
	}
	if !item.Mentions(RulesAnnotation) {
		return false
	}
	own, _ := annotation(item.Root(), RulesAnnotation)
	return strings.Contains(own, "fromOwners") || mayNameRequests(own)
}

// End returns the results that are not of single objects; false if they need all items at once.
func (c *Chunks) End() ([]report.Result, bool) {
	isUnmatched := func(rule rules.Rule) bool { return !rule.Selection.AllMatched() }
	someUnmatched := !c.run.selection.AllMatched() || slices.ContainsFunc(c.run.rules, isUnmatched)
	if someUnmatched && severityOf(c.run.config.OnNoMatch) != "" && !c.run.sum.ended {
		return nil, false
	}
	return c.run.ofAll(nil), true
}
