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
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

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
	results := make([]report.Result, 0, len(costs))
	for _, c := range costs {
		results = append(results, r.costResult(c))
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

func (r *run) costResult(c *cost) report.Result {
	slowest := c.slowestObject
	message := fmt.Sprintf("%s '%s' took %s ms; objects: %d, fields found: %d; the slowest object: %s, %s ms", c.expression.Name(), c.expression,
		milliseconds(c.total), c.objects, c.matches, slowest, milliseconds(c.slowest))
	tags := map[string]string{
		"objects": strconv.Itoa(c.objects), "matches": strconv.Itoa(c.matches), "evaluations": strconv.Itoa(c.evaluations),
		"milliseconds": milliseconds(c.total), "slowestMilliseconds": milliseconds(c.slowest), "slowestObject": slowest.String(),
	}
	maps.Copy(tags, c.expression.Tags(report.ReasonExpressionCost, ""))
	return report.Result{Message: message, Severity: report.SeverityInfo, Ref: r.ref, File: r.file, Tags: tags}
}

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', -1, 64)
}
