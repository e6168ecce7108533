package ignorefields

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Measured is Run, and adds an info for each expression that says what it cost, the dearest first.
func Measured(functionConfig *yaml.Node, items []*object.Object) ([]*object.Object, []report.Result) {
	return observe(functionConfig, items, observation{isMeasured: true})
}

// cost is that of an expression over a run.
type cost struct {
	expression                    rules.Expression
	evaluations, objects, matches int
	total, slowest                time.Duration
	last, slowestItem             int
}

// costs says what each measured expression cost, the dearest first.
func (r *run) costs(items []*object.Object, outcomes []outcome) []report.Result {
	if !r.isMeasured {
		return nil
	}
	byNumber := make([]*cost, r.expressions)
	for i, o := range outcomes {
		for _, c := range o.costs {
			if c.Number < 0 {
				continue // of a rule of the object itself
			}
			if byNumber[c.Number] == nil {
				byNumber[c.Number] = &cost{last: -1}
			}
			byNumber[c.Number].add(c, i)
		}
	}
	var costs []*cost
	for _, rule := range r.rules {
		for _, e := range rule.Expressions() {
			if c := byNumber[e.Number]; c != nil {
				c.expression = e
				costs = append(costs, c)
			}
		}
	}
	slices.SortStableFunc(costs, func(a, b *cost) int { return cmp.Compare(b.total, a.total) })
	results := make([]report.Result, 0, len(costs))
	for _, c := range costs {
		results = append(results, r.costResult(c, items))
	}
	return results
}

// add adds one evaluation, in an item.
func (c *cost) add(one rules.Cost, item int) {
	c.evaluations++
	c.matches += one.Matches
	c.total += one.Time
	if item != c.last {
		c.objects, c.last = c.objects+1, item
	}
	if one.Time > c.slowest {
		c.slowest, c.slowestItem = one.Time, item
	}
}

func (r *run) costResult(c *cost, items []*object.Object) report.Result {
	slowest := report.RefOf(items[c.slowestItem].Root())
	message := fmt.Sprintf("%s '%s' took %s ms; objects: %d, fields found: %d; the slowest object: %s, %s ms", c.expression.Name(), c.expression,
		milliseconds(c.total), c.objects, c.matches, slowest, milliseconds(c.slowest))
	tags := map[string]string{
		"objects": strconv.Itoa(c.objects), "matches": strconv.Itoa(c.matches), "evaluations": strconv.Itoa(c.evaluations),
		"milliseconds": milliseconds(c.total), "slowestMilliseconds": milliseconds(c.slowest), "slowestObject": slowest.String(),
	}
	if inChild := c.expression.InChild(); inChild > 0 {
		message += fmt.Sprintf("; %d of %d evaluations in a child process", inChild, c.evaluations)
		tags["childEvaluations"] = strconv.Itoa(inChild)
	}
	maps.Copy(tags, c.expression.Tags(report.ReasonExpressionCost, ""))
	return report.Result{Message: message, Severity: report.SeverityInfo, Ref: r.ref, File: r.file, Tags: tags}
}

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', -1, 64)
}
