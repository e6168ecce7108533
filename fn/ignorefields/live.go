package ignorefields

import (
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// liveObjects are the objects of the list that show the state of the cluster.
type liveObjects struct {
	// items has the items that are live, be it one that says that the cluster is empty.
	items   map[*object.Object]bool
	index   *selector.Live
	objects []*liveObject
}

// liveObject is an item that is live, or an object in a list that is one.
type liveObject struct {
	namespace string // that it names
	item      *object.Object
	// inList is nil if the object is all of the item.
	inList *tree.Node
}

// root returns the data of the object; nil if there is none. An item is parsed for each caller:
// callers are side by side, and the data of all live objects at once would take much memory.
func (o *liveObject) root() *tree.Node {
	switch {
	case o == nil:
		return nil
	case o.inList != nil:
		return o.inList
	}
	return o.item.Copy().Root()
}

// liveOf returns those of the items that are live.
func liveOf(config Live, items []*object.Object) liveObjects {
	live := liveObjects{items: map[*object.Object]bool{}, index: selector.NewLive()}
	add := func(ref report.Ref, item *object.Object, inList *tree.Node) {
		o := &liveObject{ref.Namespace, item, inList}
		live.index.Add(selector.IdentityOf(ref, item.AssumedNamespace), o.root)
		live.objects = append(live.objects, o)
	}
	for _, item := range items {
		if !config.isLive(item) {
			continue
		}
		live.items[item] = true
		if !strings.HasSuffix(item.Ref().Kind, "List") {
			add(item.Ref(), item, nil)
			_ = item.Flush() // one that can't be flushed keeps its data
			continue
		}
		for _, root := range resourcelist.Objects(item.Root()) {
			add(report.RefOf(root), item, root)
		}
	}
	return live
}

// has tells whether an item is live.
func (l liveObjects) has(item *object.Object) bool { return l.items[item] }

// areGiven tells whether there are any, even one that says that the cluster is empty.
func (l liveObjects) areGiven() bool { return len(l.items) > 0 }

// find returns the live object for an object; nil for none. The error is a
// *selector.AmbiguousLiveError.
func (l liveObjects) find(name selector.Identity) (*liveObject, error) {
	i, ok, err := l.index.Find(name)
	if !ok {
		return nil, err
	}
	return l.objects[i], nil
}

// isLive tells whether the object shows the state of the cluster.
func (l Live) isLive(item *object.Object) bool {
	if item.IsLive {
		return true
	}
	if l.PathPrefix == "" && !item.Mentions(liveAnnotation) {
		return false // so that it need not be parsed
	}
	if value, ok := annotation(item.Root(), liveAnnotation); ok && value == "true" {
		return true
	}
	return l.PathPrefix != "" && strings.HasPrefix(item.PathInPackage(), l.PathPrefix)
}

// pair finds the live object of the object, and reports it if several match.
func (j *job) pair() {
	live, err := j.run.live.find(j.name)
	j.live, j.outcome.unclear = live.root(), err
	if err != nil && j.run.config.noteUnclear == nil {
		j.report(report.SeverityError, report.ReasonAmbiguousLive, err.Error())
	}
}

// decide compares the object with the live one and reports the decision: report.ReasonCreate,
// report.ReasonUpdate or report.ReasonUnchanged; "" if the list has no live objects at all. The
// hash is that of the object.
func (j *job) decide(sum string) string {
	if !j.run.live.areGiven() {
		return ""
	}
	if j.live == nil {
		j.report(report.SeverityInfo, report.ReasonCreate, "there is no live object, so it is created whole")
		j.warnOfKindMissing()
		return report.ReasonCreate
	}
	name := j.run.config.ObjectHash.Annotation
	liveSum, _ := annotation(j.live, name)
	if liveSum == sum && !j.run.config.sendsAll {
		j.report(report.SeverityInfo, report.ReasonUnchanged, "the live object has the same hash, so it is left unchanged")
		return report.ReasonUnchanged
	}
	why := "the live object has another hash, so it is updated"
	switch {
	case liveSum == sum:
		why = "the live object has the same hash, and is sent with all others"
	case liveSum == "" && !j.run.config.ObjectHash.Emit:
		why = "there is a live object, so it is updated"
	case liveSum == "":
		why = fmt.Sprintf("the live object has no annotation %s, so it is updated", name)
	}
	j.report(report.SeverityInfo, report.ReasonUpdate, why)
	return report.ReasonUpdate
}

// warnOfKindMissing warns that no live object has the kind of an object that is created: such live
// objects may be missing in the input.
func (j *job) warnOfKindMissing() {
	kind := j.kind()
	if j.isLocal || j.run.live.index.IsEmpty() || j.run.live.index.HasKind(kind) {
		return
	}
	resource := selector.GroupKind{Group: kind.Group, Kind: words.Plural(kind.Kind)}
	j.notice(noticeKey{reason: report.ReasonLiveKindMissing, kind: kind}, func() report.Result {
		return j.result(report.SeverityWarning, fmt.Sprintf(
			"there are live objects, but none of kind %s (kubectl get %s --show-managed-fields -o yaml), "+
				"so it is not known whether the cluster has it, and it is created whole", kind, resource),
			map[string]string{"reason": report.ReasonLiveKindMissing})
	})
}

// managedFields is what the managedFields of a live object say: their entries, and by them where in
// it the fields of the package's object are.
type managedFields struct {
	entries      []managedfields.Entry
	ours         *tree.Node // the package's object, with the keys of list elements
	owners       *managedfields.Index
	counterparts *managedfields.Counterparts
}

// managed reads the managedFields of the live object, once for all fields.
func (j *job) managed() *managedFields {
	if j.read == nil {
		entries, faults := managedfields.Of(j.live)
		for _, fault := range faults {
			j.outcome.results = append(j.outcome.results, fault.Of(j.ref, j.file))
		}
		ours := j.schema().WithKeys(j.view.Original())
		j.read = &managedFields{entries, ours, managedfields.NewIndex(entries, j.live), managedfields.NewCounterparts(entries, ours, j.live)}
	}
	return j.read
}

// notOthers is what the applier would lose of the live object at a location; see Index.NotOthers.
func (j *job) notOthers(l location.Location) (value *tree.Node, managers []string, isOwned bool) {
	return j.managed().owners.NotOthers(l, j.run.config.Live.FieldManager)
}

func (j *job) report(severity, reason, message string) {
	j.outcome.results = append(j.outcome.results, j.result(severity, message, map[string]string{"reason": reason}))
}
