package ignorefields

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/managedfields"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
)

// objectKey names an object on a cluster. The version is no part of it.
type objectKey struct {
	group, kind, namespace, name string
}

func keyOf(root *yaml.Node) objectKey {
	ref := report.RefOf(root)
	group, _, found := strings.Cut(ref.APIVersion, "/")
	if !found {
		group = ""
	}
	return objectKey{group: group, kind: ref.Kind, namespace: ref.Namespace, name: ref.Name}
}

// liveObjects are the objects of the list that show what is on the cluster.
type liveObjects map[objectKey]*yaml.Node

// liveOf returns those of the items that are live.
func liveOf(config Live, items []*object.Object) liveObjects {
	live := liveObjects{}
	for _, item := range items {
		if config.isLive(item) {
			live[keyOf(item.Root())] = item.Root()
		}
	}
	return live
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

// decide compares the object with the live one and reports the decision:
// report.Create, report.Update or report.Unchanged; "" where the list has no
// live objects at all. The hash is that of the object.
func (j *job) decide(live liveObjects, sum string) string {
	if len(live) == 0 {
		return ""
	}
	name := j.run.config.ObjectHash.Annotation
	there, ok := live[keyOf(j.object.Original())]
	if !ok {
		j.reportDecision(report.Create, "no live object is there: it is created whole")
		return report.Create
	}
	switch liveSum, _ := annotation(there, name); liveSum {
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

func (j *job) reportDecision(reason, message string) {
	j.outcome.results = append(j.outcome.results, j.result(report.Info, message, map[string]string{"reason": reason}))
}

// warnOfSoleManager warns of stripped fields that the next server-side apply
// would remove from the live object, because no one else owns them there.
func (j *job) warnOfSoleManager(live liveObjects) {
	there, ok := live[keyOf(j.object.Original())]
	if !ok {
		return
	}
	managers := managedfields.Of(there)
	manager := j.run.config.Live.FieldManager
	for _, f := range j.present() {
		if !managedfields.OnlyAppliedBy(managers, manager, f.location, j.object.Original()) {
			continue
		}
		result := j.result(report.Warning, fmt.Sprintf(
			"%s: %s has no field manager on the cluster but %q, so the next server-side apply without it removes it; "+
				"let its owner apply it first", f.by.path, f.location, manager), f.by.tags(soleManager, f.condition))
		result.Field = report.Field{Path: f.location.String()}
		j.outcome.results = append(j.outcome.results, result)
	}
}

// soleManager is the reason of the warning that a field would be removed rather
// than handed over.
const soleManager = "SoleFieldManager"
