package ignorefields

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/plural"
	"github.com/krm-fields/krm-fields/fn/report"
)

// liveObjects are the objects of the list that show what is on the cluster.
type liveObjects struct {
	// given is true where there are any, be it one that says that the cluster has
	// nothing.
	given bool
	index *match.Live
	roots []*yaml.Node
}

// liveOf returns those of the items that are live.
func liveOf(config Live, items []*object.Object) liveObjects {
	var live liveObjects
	var names []match.Identity
	for _, item := range items {
		if config.isLive(item) {
			names = append(names, match.Of(item.Root()).Identity(item.AssumedNamespace()))
			live.roots = append(live.roots, item.Root())
		}
	}
	live.given = len(live.roots) > 0
	live.index = match.NewLive(names)
	return live
}

// find returns the live object for an object; nil where there is none. The error
// is a *match.AmbiguousLiveError.
func (l liveObjects) find(name match.Identity) (*yaml.Node, error) {
	i, ok, err := l.index.Find(name)
	if !ok {
		return nil, err
	}
	return l.roots[i], nil
}

// isLive tells whether the object shows what is on the cluster.
func (l Live) isLive(item *object.Object) bool {
	if l.PathPrefix == "" && !item.IsLive() && !item.Mentions(liveAnnotation) {
		return false // without a need to parse it
	}
	if value, ok := annotation(item.Root(), liveAnnotation); item.IsLive() || ok && value == "true" {
		return true
	}
	return l.PathPrefix != "" && strings.HasPrefix(item.PathInPackage(), l.PathPrefix)
}

// pair finds the live object of the object, and reports where it can't be told
// which one it is.
func (j *job) pair() {
	there, err := j.run.live.find(j.name)
	if err != nil {
		j.outcome.results = append(j.outcome.results,
			j.result(report.Error, err.Error(), map[string]string{"reason": report.AmbiguousLive}))
		j.ambiguous = true
	}
	j.there = there
}

// decide compares the object with the live one and reports the decision:
// report.Create, report.Update or report.Unchanged; "" where the list has no
// live objects at all. The hash is that of the object.
func (j *job) decide(sum string) string {
	if !j.run.live.given {
		return ""
	}
	if j.there == nil {
		j.reportDecision(report.Create, "no live object is there: it is created whole")
		j.warnOfKindMissing()
		return report.Create
	}
	name := j.run.config.ObjectHash.Annotation
	switch liveSum, _ := annotation(j.there, name); liveSum {
	case sum:
		j.reportDecision(report.Unchanged, "the live object has the same hash: it is left as it is")
		return report.Unchanged
	case "":
		j.reportDecision(report.Update, fmt.Sprintf("the live object has no annotation %s: it is updated", name))
	default:
		j.reportDecision(report.Update, "the live object has another hash: it is updated")
	}
	return report.Update
}

// warnOfKindMissing warns that there is no live object of the kind of an object
// that is created: they were left out where the live objects were read, perhaps.
func (j *job) warnOfKindMissing() {
	kind := match.Kind{Group: j.name.Group, Kind: j.name.Kind}
	if j.isLocal || j.run.live.index.IsEmpty() || j.run.live.index.HasKind(kind) {
		return
	}
	resource := match.Kind{Group: kind.Group, Kind: plural.Of(kind.Kind)}
	j.notice(noticeKey{reason: report.LiveKindMissing, kind: kind}, func() report.Result {
		return j.result(report.Warning, fmt.Sprintf(
			"there are live objects, but none of kind %s (kubectl get %s --show-managed-fields -o yaml), "+
				"so it is not known whether the cluster has it, and it is created whole", kind, resource),
			map[string]string{"reason": report.LiveKindMissing})
	})
}

func (j *job) reportDecision(reason, message string) {
	j.outcome.results = append(j.outcome.results, j.result(report.Info, message, map[string]string{"reason": reason}))
}
