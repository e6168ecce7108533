package ignorefields

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/report"
)

// assignmentAdvice is what to say about an expression that assigns where it is to
// compare; "" for another one.
func (e expression) assignmentAdvice() string {
	if e.comparison == "" {
		return ""
	}
	return fmt.Sprintf("%s: the expression '%s' assigns inside select, so that select keeps everything; to compare, write '%s'",
		e.path, e, e.comparison)
}

// advice returns a warning for each expression of the functionConfig that does
// what nobody means.
func (r *run) advice() []report.Result {
	var results []report.Result
	for _, rule := range r.rules {
		for _, e := range rule.expressions() {
			if text := e.assignmentAdvice(); text != "" {
				results = append(results, report.Result{
					Message: text, Severity: report.Warning, Ref: r.ref, File: r.file,
					Field: report.Field{Path: e.path}, Tags: e.tags("", rule.condition),
				})
			}
		}
	}
	return results
}

// adviseOnOwn warns of expressions of the object's own rules.
func (j *job) adviseOnOwn(own []rule) {
	for _, rule := range own {
		for _, e := range rule.expressions() {
			if text := e.assignmentAdvice(); text != "" {
				j.outcome.results = append(j.outcome.results, j.result(report.Warning, text, e.tags("", rule.condition)))
			}
		}
	}
}

// changeWithoutLive says that OnSpokeChange does nothing where the list has no live
// objects.
func (r *run) changeWithoutLive(outcomes []outcome) []report.Result {
	if r.live.given || r.action.name != strip.name {
		return nil
	}
	result := report.Result{
		Severity: report.Info, Ref: r.ref, File: r.file,
		Message: "OnSpokeChange does nothing without live objects: the fields come out as the package has them; " +
			"give the live objects, or say OnSpokePresent to leave the fields out",
		Tags: map[string]string{"condition": onSpokeChange},
	}
	i := slices.IndexFunc(r.rules, func(rule rule) bool { return rule.condition == onSpokeChange && !rule.fromAnnotation })
	switch {
	case i >= 0:
		result.Message = r.rules[i].path + ": " + result.Message
		result.Field.Path = r.rules[i].path + ".condition"
		result.Tags["rule"] = strconv.Itoa(r.rules[i].index)
	case !slices.ContainsFunc(outcomes, func(o outcome) bool { return o.leavesChanges }):
		return nil
	}
	return []report.Result{result}
}

// emptied is a list of containers of which an expression found every element.
type emptied struct {
	list  locate.Location
	count int
	by    *source
}

// emptiedContainers returns the lists of containers of which all elements are among
// the locations, which are sorted. Init containers are no matter: none is fine, too.
func emptiedContainers(root *yaml.Node, sorted []locate.Location) []emptied {
	var all []emptied
	for _, l := range sorted {
		last := len(l) - 1
		if last < 1 || !l[last].IsIndex || l[last-1].Key != "containers" {
			continue
		}
		if n := len(all) - 1; n >= 0 && locate.Compare(all[n].list, l[:last]) == 0 {
			all[n].count++
			continue
		}
		all = append(all, emptied{list: l[:last], count: 1})
	}
	return slices.DeleteFunc(all, func(e emptied) bool { return e.count < len(locate.At(root, e.list).Content) })
}

// warnOfEmptied warns of expressions that found every container.
func (j *job) warnOfEmptied() {
	if j.run.action.needsLive {
		return // what is found gets the live value
	}
	for _, e := range j.resolution.emptied {
		j.notice(j.keyOf(e.by, e.by.path, "", match.Kind{}), func() report.Result {
			result := j.result(report.Warning, fmt.Sprintf(
				"%s: the expression '%s' finds every element of %s (%d of %d), and the API server takes no workload without one; find those alone that others own",
				e.by.path, e.by.expression, e.list, e.count, e.count), e.by.tags("", ""))
			result.Field = report.Field{Path: e.list.String()}
			return result
		})
	}
}
