package ignorefields

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const podAutoscaler = "VerticalPodAutoscaler"

// namesResources tells whether a rule may find the resources of containers.
func (r *run) namesResources() bool {
	isNamed := func(e rules.Expression) bool { return strings.Contains(e.String(), "resources") }
	return slices.ContainsFunc(r.rules, func(rule rules.Rule) bool { return slices.ContainsFunc(rule.Expressions(), isNamed) })
}

// findAutoscaled finds the workloads that VerticalPodAutoscalers among the items target, if a rule
// may find their resources.
func (r *run) findAutoscaled(items []*object.Object) {
	if !r.namesResources() {
		return
	}
	r.autoscaled = map[selector.Identity]report.Ref{}
	for _, item := range items {
		if !item.Mentions(podAutoscaler) || !item.IsObject() || r.config.Live.isLive(item) {
			continue
		}
		root := item.Root()
		o, target := selector.Of(root), tree.Get(root, "spec", "targetRef")
		if o.Kind != podAutoscaler || o.Group != "autoscaling.k8s.io" || target == nil {
			continue
		}
		group, _, _ := strings.Cut(tree.GetString(target, "apiVersion"), "/")
		name := selector.Identity{Group: group, Kind: tree.GetString(target, "kind"), Name: tree.GetString(target, "name")}
		name.Namespace = o.Identity(item.AssumedNamespace()).Namespace
		r.autoscaled[name] = o.Ref()
	}
}

// warnOfAutoscaled warns of rules on the requests of a workload that a VerticalPodAutoscaler
// targets.
func (j *job) warnOfAutoscaled() {
	owner, isTarget := j.run.autoscaled[j.name]
	if !isTarget {
		return
	}
	for _, f := range j.resolution.Found {
		if !isRequests(f.Location) {
			continue
		}
		key := j.keyOf(f.By, f.By.Path, podAutoscaler, selector.Kind{Group: j.name.Group, Kind: j.name.Kind})
		j.notice(key, func() report.Result {
			result := j.result(report.SeverityWarning, fmt.Sprintf(
				"%s: %s changes the requests of Pods, and leaves those of the workload to the package: without %s, new Pods have no requests "+
					"until it sets them; remove the rule", f.By.Name(), owner, j.placeOf(f)), f.By.Tags(report.ReasonLikelyMistake, f.Condition))
			result.Field = report.Field{Path: j.placeOf(f)}
			return result
		})
	}
}

// isRequests tells whether a location is, has, or lies in, the requests of a container.
func isRequests(l location.Location) bool {
	i := slices.IndexFunc(l, func(step location.Step) bool { return step.Key == "resources" && !step.IsIndex })
	return i > 0 && l[i-1].IsIndex && (i+1 == len(l) || l[i+1].Key == "requests")
}
