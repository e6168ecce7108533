package ignorefields

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/rules"
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
func (s *summary) add(index int, item *object.Object, o *itemOutcome) {
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

// chunkResults returns the results of objects in their order, and adds to the summary.
func (r *run) chunkResults(items []*object.Object, outcomes []itemOutcome) []report.Result {
	count := 0
	for i := range outcomes {
		r.sum.add(r.before+i, items[i], &outcomes[i])
		count += len(outcomes[i].results)
	}
	r.makeHints(items, outcomes)
	results := make([]report.Result, 0, count+roomBehind)
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

// roomBehind is how many results that are not of single objects a run usually has.
const roomBehind = 64

// ofAll returns the results that are not of single objects, for the end of the run.
func (r *run) ofAll(items []*object.Object) []report.Result {
	results := r.costs()
	if !r.sum.ended {
		results = slices.Concat(r.sum.noticeResults(), advice(r.rules), r.changeWithoutLive(), r.onlyHash(),
			r.ownersNotInList(), r.noMatches(items), r.trapsOfWorks(items), results)
	}
	for i := range results {
		if results[i].Ref.IsZero() {
			results[i].Ref, results[i].File = r.ref, r.file
		}
	}
	return results
}

// onlyHash reports in how many objects only the hash changes, since no rule found a field in them.
func (r *run) onlyHash() []report.Result {
	var message string
	switch count := r.sum.onlyHash; count {
	case 0:
		return nil
	case 1:
		message = fmt.Sprintf("only the object hash changes in 1 object, since no rule found a field in it: %s", r.sum.firstHash)
	default:
		message = fmt.Sprintf("only the object hash changes in %d objects, since no rule found a field in them: %s and %d more",
			count, r.sum.firstHash, count-1)
	}
	return []report.Result{{
		Message:  message,
		Severity: report.SeverityInfo, IsSummary: true, Tags: map[string]string{"reason": report.ReasonObjectHash},
	}}
}

// cost is that of an expression over a run.
type cost struct {
	expression                    rules.Expression
	evaluations, objects, matches int
	total, slowest                time.Duration
	last                          int
	slowestObject                 report.Ref
}

// costs says what each measured expression cost, the dearest first.
func (r *run) costs() []report.Result {
	if !r.Measures {
		return nil // the list of all expressions of a large functionConfig takes much memory
	}
	var costs []*cost
	for _, rule := range r.rules {
		for _, e := range rule.Expressions() {
			if c := r.sum.costs[e.Number]; c != nil {
				c.expression = e
				costs = append(costs, c)
			}
		}
	}
	slices.SortStableFunc(costs, func(a, b *cost) int { return cmp.Compare(b.total, a.total) })
	results := make([]report.Result, len(costs))
	for i, c := range costs {
		results[i] = c.result()
	}
	return results
}

// add adds one evaluation, in the item of an index.
func (c *cost) add(one rules.Cost, index int, item *object.Object) {
	c.evaluations++
	c.matches += one.Matches
	c.total += one.Time
	if index != c.last {
		c.objects, c.last = c.objects+1, index
	}
	if one.Time > c.slowest {
		c.slowest, c.slowestObject = one.Time, report.RefOf(item.Root())
	}
}

func (c *cost) result() report.Result {
	slowest := c.slowestObject
	message := fmt.Sprintf("%s '%s' took %s ms; objects: %d, fields found: %d; the slowest object: %s, %s ms", c.expression.Name(), c.expression,
		milliseconds(c.total), c.objects, c.matches, slowest, milliseconds(c.slowest))
	tags := map[string]string{
		"objects": strconv.Itoa(c.objects), "matches": strconv.Itoa(c.matches), "evaluations": strconv.Itoa(c.evaluations),
		"milliseconds": milliseconds(c.total), "slowestMilliseconds": milliseconds(c.slowest), "slowestObject": slowest.String(),
	}
	maps.Copy(tags, c.expression.Tags(report.ReasonExpressionCost, ""))
	return report.Result{Message: message, Severity: report.SeverityInfo, Tags: tags}
}

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', -1, 64)
}
