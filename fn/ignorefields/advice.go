package ignorefields

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
)

// mistakeAdvice returns a warning for an expression with an obvious mistake; "" for another one.
func mistakeAdvice(e rules.Expression) string {
	if e.Mistake.Fix == "" {
		return ""
	}
	return fmt.Sprintf("%s: the expression '%s' %s '%s'", e.Path, e, e.Mistake.Reason, e.Mistake.Fix)
}

// advice returns a warning for each expression of the functionConfig that certainly has another
// effect than intended.
func (r *run) advice() []report.Result {
	var results []report.Result
	for _, rule := range r.rules {
		for _, e := range rule.Expressions() {
			if text := mistakeAdvice(e); text != "" {
				results = append(results, report.Result{
					Message: text, Severity: report.SeverityWarning, Ref: r.ref, File: r.file,
					Field: report.Field{Path: e.Path}, Tags: e.Tags(report.ReasonLikelyMistake, rule.Condition),
				})
			}
		}
	}
	return results
}

// adviseOnOwn warns of expressions of the object's own rules.
func (j *job) adviseOnOwn(own []rules.Rule) {
	for _, rule := range own {
		for _, e := range rule.Expressions() {
			if text := mistakeAdvice(e); text != "" {
				j.outcome.results = append(j.outcome.results, j.result(report.SeverityWarning, text, e.Tags(report.ReasonLikelyMistake, rule.Condition)))
			}
		}
	}
}

// changeWithoutLive warns that OnSpokeChange does nothing if the list has no live objects.
func (r *run) changeWithoutLive() []report.Result {
	if r.live.given || r.action.Effect != LeftOut {
		return nil
	}
	result := report.Result{
		Severity: report.SeverityInfo, Ref: r.ref, File: r.file,
		Message: "OnSpokeChange does nothing without live objects: the fields stay as they are in the package; " +
			"give live objects, or write condition: OnSpokePresent to strip the fields",
		Tags: map[string]string{"reason": report.ReasonNoLiveObjects, "condition": rules.OnSpokeChange},
	}
	i := slices.IndexFunc(r.rules, func(rule rules.Rule) bool { return rule.Condition == rules.OnSpokeChange && rule.FromAnnotation == nil })
	switch {
	case i >= 0:
		result.Message = r.rules[i].Path + ": " + result.Message
		result.Field.Path = r.rules[i].Path + ".condition"
		result.Tags["rule"] = strconv.Itoa(r.rules[i].Index)
	case !r.sum.leavesChanges:
		return nil
	}
	return []report.Result{result}
}

// warnOfEmptied warns of expressions that found every container.
func (j *job) warnOfEmptied() {
	if j.run.action.Effect == TakenFromLive {
		return // a found field gets the live value
	}
	for _, e := range j.resolution.Emptied {
		j.notice(j.keyOf(e.By, e.By.Path, "", selector.Kind{}), func() report.Result {
			result := j.result(report.SeverityWarning, fmt.Sprintf(
				"%s: the expression '%s' finds every element of %s (%d of %d), "+
					"and the API server refuses a workload without any; select only those that others own",
				e.By.Path, e.By.Text(), e.List, e.Count, e.Count), e.By.Tags(report.ReasonLikelyMistake, ""))
			result.Field = report.Field{Path: e.List.String()}
			return result
		})
	}
}
