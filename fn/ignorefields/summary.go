package ignorefields

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// summary is what a run knows of the items so far that its last results are made of.
type summary struct {
	// accounted are the expressions, by number, that found something or failed.
	accounted []bool
	hints     map[int]hint // by the number of the expression
	// sampled is how many objects of each kind are in the sample for hints.
	sampled map[schema.GVK]int
	noticed []*noticed
	notices map[*noticeKey]*noticed
	costs   []*cost         // by the number of the expression
	dotted  map[string]bool // messages about keys with dots
	// onlyHash is how many objects got a hash and nothing else, and firstHash names the first.
	onlyHash      int
	firstHash     report.Ref
	leavesChanges bool
	ended         bool
}

func newSummary(expressions int) summary {
	return summary{
		accounted: make([]bool, expressions), costs: make([]*cost, expressions),
		hints: map[int]hint{}, sampled: map[schema.GVK]int{}, notices: map[*noticeKey]*noticed{}, dotted: map[string]bool{},
	}
}

// add adds the outcome for the item of an index.
func (s *summary) add(index int, item *object.Object, o *outcome) {
	for _, number := range o.accounted {
		if number >= 0 {
			s.accounted[number] = true
		}
	}
	s.addNotices(index, o.notices)
	for _, c := range o.costs {
		if c.Number < 0 {
			continue // of a rule of the object itself
		}
		if s.costs[c.Number] == nil {
			s.costs[c.Number] = &cost{last: -1}
		}
		s.costs[c.Number].add(c, index, item)
	}
	if o.onlyHash {
		if s.onlyHash++; s.onlyHash == 1 {
			s.firstHash = report.RefOf(item.Root())
		}
	}
	s.leavesChanges = s.leavesChanges || o.leavesChanges
	s.ended = s.ended || o.ended
}

// usualOfAll is how many results ofAll usually returns: with room for them, those of the objects
// are not copied.
const usualOfAll = 8

// chunkResults returns the results of objects in their order, and adds to the summary.
func (r *run) chunkResults(items []*object.Object, outcomes []outcome) []report.Result {
	count := 0
	for i := range outcomes {
		count += len(outcomes[i].results)
		r.sum.add(r.before+i, items[i], &outcomes[i])
	}
	r.makeHints(items, outcomes)
	results := make([]report.Result, 0, count+usualOfAll)
	for i := range outcomes {
		own := outcomes[i].results
		for k := range own {
			if own[k].Tags["reason"] == report.ReasonDottedKey {
				if r.sum.dotted[own[k].Message] {
					continue // one object shows the format
				}
				r.sum.dotted[own[k].Message] = true
			}
			results = append(results, own[k])
		}
	}
	return results
}

// ofAll returns the results that are not of single objects, for the end of the run.
func (r *run) ofAll(items []*object.Object) []report.Result {
	if r.sum.ended {
		return r.costs()
	}
	return slices.Concat(r.sum.noticeResults(), r.advice(), r.changeWithoutLive(), r.onlyHash(),
		r.ownersNotInList(), r.noMatches(items), r.costs())
}

// onlyHash reports in how many objects only the hash changes, since no rule found a field in them.
func (r *run) onlyHash() []report.Result {
	count := r.sum.onlyHash
	if count == 0 {
		return nil
	}
	subject := "only the object hash changes in 1 object, since no rule found a field in it"
	if count > 1 {
		subject = fmt.Sprintf("only the object hash changes in %d objects, since no rule found a field in them", count)
	}
	return []report.Result{{
		Message:  fmt.Sprintf("%s: %s%s", subject, r.sum.firstHash, andMore(count-1)),
		Severity: report.SeverityInfo, Ref: r.ref, File: r.file, IsSummary: true, Tags: map[string]string{"reason": report.ReasonObjectHash},
	}}
}
