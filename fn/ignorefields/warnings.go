package ignorefields

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// advice returns a warning for each expression that certainly has another effect than intended.
func advice(all []rules.Rule) []report.Result {
	var results []report.Result
	for _, rule := range all {
		for _, e := range rule.Expressions() {
			if e.Mistake.Fix != "" {
				results = append(results, report.Result{
					Message:  fmt.Sprintf("%s: the expression '%s' %s; %s", e.Path, e, e.Mistake.Reason, e.Mistake.Fix),
					Severity: report.SeverityWarning, Field: report.Field{Path: e.Path}, Tags: e.Tags(report.ReasonLikelyMistake, rule.Condition),
				})
			}
		}
	}
	return results
}

// adviseOnOwn warns of expressions of the object's own rules.
func (j *job) adviseOnOwn(own []rules.Rule) {
	for _, r := range advice(own) {
		j.outcome.results = append(j.outcome.results, j.result(r.Severity, r.Message, r.Tags))
	}
}

// changeWithoutLive warns that OnSpokeChange does nothing if the list has no live objects.
func (r *run) changeWithoutLive() []report.Result {
	if r.config.withoutLive {
		return r.managersWithoutLive()
	}
	if r.live.areGiven() || r.action.Effect != LeftOut {
		return nil
	}
	result := report.Result{
		Severity: report.SeverityInfo,
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

// managersWithoutLive says of each rule with managedFieldsManagers that it finds nothing.
func (r *run) managersWithoutLive() (results []report.Result) {
	for _, rule := range r.rules {
		if fromManagers(rule) {
			at := rule.Path + ".managedFieldsManagers"
			results = append(results, report.New(report.SeverityInfo, report.ReasonNoLiveObjects,
				at+": the rule counts for nothing without live objects, which say what these managers own").At(at))
		}
	}
	return results
}

// warnOf warns once for all objects of a kind, or of all kinds, of what a rule does to a place.
func (j *job) warnOf(by *rules.Source, reason, condition, place string, kind selector.GroupKind, format string, args ...any) {
	j.notice(j.keyOf(by, by.Path, reason, kind), func() report.Result {
		result := j.result(report.SeverityWarning, by.Name()+": "+fmt.Sprintf(format, args...), by.Tags(reason, condition))
		result.Field.Path = place
		return result
	})
}

// warnOfEmptied warns of expressions that found every container.
func (j *job) warnOfEmptied() {
	if j.run.action.Effect == TakenFromLive {
		return // a found field gets the live value
	}
	for _, e := range j.resolver.Emptied {
		j.warnOf(e.By, report.ReasonLikelyMistake, "", e.List.String(), selector.GroupKind{}, "the expression '%s' finds every element of %s (%d of %d), "+
			"and the API server refuses a workload without any; select only those that others own", e.By.Text(), e.List, e.Count, e.Count)
	}
}

const podAutoscaler = "VerticalPodAutoscaler"

// mayFindRequests tells whether a rule of the functionConfig may find the requests of containers.
func (r *run) mayFindRequests() bool {
	mayFind := func(e rules.Expression) bool { return mayNameRequests(e.String()) }
	return slices.ContainsFunc(r.rules, func(rule rules.Rule) bool { return slices.ContainsFunc(rule.Expressions(), mayFind) })
}

// mayNameRequests tells whether the text of an expression, or of rules, may find the requests of
// containers.
func mayNameRequests(text string) bool {
	return strings.Contains(text, "resources") || strings.Contains(text, "requests") || strings.Contains(text, "..")
}

// findAutoscaled finds the workloads that VerticalPodAutoscalers among the items target.
func (r *run) findAutoscaled(items []*object.Object) {
	r.autoscaled = map[selector.Identity]report.Ref{}
	for _, item := range items {
		if !item.Mentions(podAutoscaler) || !item.IsObject() {
			continue
		}
		root := item.Root()
		o, target := selector.Of(root), tree.Get(root, "spec", "targetRef")
		isOff := tree.GetString(tree.Get(root, "spec", "updatePolicy"), "updateMode") == "Off"
		if o.Kind != podAutoscaler || o.Group != "autoscaling.k8s.io" || target == nil || isOff {
			continue
		}
		group, _ := report.GroupVersion(tree.GetString(target, "apiVersion"))
		name := selector.Identity{Group: group, Kind: tree.GetString(target, "kind"), Name: tree.GetString(target, "name")}
		name.Namespace = o.Identity(item.AssumedNamespace).Namespace
		r.autoscaled[name] = o.Ref()
	}
}

// warnOfLost warns of rules on fields that nobody else sets in the object.
func (j *job) warnOfLost() {
	j.warnOfSealed()
	j.warnOfAutoscaled()
}

// warnOfAutoscaled warns of rules on the requests of a workload that a VerticalPodAutoscaler
// targets.
func (j *job) warnOfAutoscaled() {
	owner, isTarget := j.run.autoscaled[j.name]
	if !isTarget {
		return
	}
	for _, f := range j.resolver.Found {
		if isRequests(f.Location) {
			j.warnOf(f.By, report.ReasonLikelyMistake, f.Condition, j.placeOf(f), j.kind(),
				"%s changes the requests of Pods, and leaves those of the workload to the package: without %s, new Pods have no requests "+
					"until it sets them; remove the rule", owner, j.placeOf(f))
		}
	}
}

// isRequests tells whether a location is, has, or lies in, the requests of a container.
func isRequests(l location.Location) bool {
	i := slices.IndexFunc(l, func(step location.Step) bool { return step.Key == "resources" && !step.IsIndex })
	return i > 0 && l[i-1].IsIndex && (i+1 == len(l) || l[i+1].Key == "requests")
}

// leaveEncrypted reports that an encrypted object comes out as it is, with a warning for each rule
// that names it.
func (j *job) leaveEncrypted(identity *selector.Candidate, applied []rules.Rule) {
	isNamed := false
	warn := func(selection *selector.Selection, rule string) {
		entry := selection.NamedBy(identity)
		if entry == "" {
			return
		}
		isNamed = true
		j.notice(noticeKey{reason: entry, by: rule}, func() report.Result { return report.Encrypted(entry).Of(j.ref, j.file) })
	}
	warn(j.run.selection, "")
	for _, rule := range applied {
		warn(rule.Selection, rule.Path)
	}
	if !isNamed {
		j.notice(noticeKey{reason: "sops"}, func() report.Result { return report.Encrypted("").Of(j.ref, j.file) })
	}
}

var encryptedDataAt = location.Location{location.Key("spec"), location.Key("encryptedData")}

// warnOfSealed warns of rules on the values of a SealedSecret.
func (j *job) warnOfSealed() {
	if j.name.Group != "bitnami.com" || j.name.Kind != "SealedSecret" {
		return
	}
	for _, f := range j.resolver.Found {
		if encryptedDataAt.Contains(f.Location) || f.Location.Contains(encryptedDataAt) {
			j.warnOf(f.By, report.ReasonEncrypted, f.Condition, f.Location.String(), j.kind(),
				"%s is sealed: the controller makes the Secret from what the SealedSecret has, so without the value the Secret loses the key; "+
					"no other actor sets it", f.Location)
		}
	}
}

// warnOfScalars warns, once a run, of a scalar that kubectl reads differently.
func (j *job) warnOfScalars() {
	at, n, isKey := readOtherwise(j.view.Original())
	if n == nil {
		return
	}
	j.notice(noticeKey{reason: report.ReasonAmbiguousScalar}, func() report.Result {
		message := "kubectl, Helm and Flux read this otherwise than krm-fields, kpt and kustomize; put it in quotes"
		if isKey || !j.shown.Hides(at, n) {
			message = scalarText(n, isKey)
		}
		return j.result(report.SeverityWarning, at.String()+": "+message, map[string]string{"reason": report.ReasonAmbiguousScalar}).At(at.String())
	})
}

// scalarText says how a scalar is read, and what to write instead.
func scalarText(n *tree.Node, isKey bool) string {
	theirs, _ := tree.KubectlScalar(n, isKey)
	own := tree.Scalar(n)
	if isKey {
		own = n.Text()
	}
	read, _ := tree.JSONText(theirs)
	ours, _ := tree.JSONText(own)
	write, what := ours, ""
	switch own.(type) {
	case string:
		what = "the string "
	case *big.Int:
		write = strconv.Quote(n.Text()) // the number has no notation that kubectl keeps
	}
	if theirs == nil {
		return fmt.Sprintf("kubectl, Helm and Flux refuse %s, and krm-fields, kpt and kustomize read %s%s; write %s", n.Text(), what, ours, write)
	}
	return fmt.Sprintf("kubectl, Helm and Flux read %s as %s, and krm-fields, kpt and kustomize as %s%s; write %s or %s",
		n.Text(), read, what, ours, read, write)
}

// readOtherwise returns the first scalar in a map or list, a value or key, that kubectl reads
// otherwise, and the location of the value; nil for none.
func readOtherwise(n *tree.Node) (at location.Location, found *tree.Node, isKey bool) {
	isMap := n.Kind == tree.MappingNode
	for i, child := range n.Content {
		isKey = isMap && i%2 == 0
		if len(child.Content) > 0 {
			at, found, isKey = readOtherwise(child)
		} else if _, differs := tree.KubectlScalar(child, isKey); differs {
			found = child
		}
		if found == nil {
			continue
		}
		step := location.Index(i)
		if isMap {
			step = location.Key(n.Content[i&^1].Text()) // of a key and of its value
		}
		return slices.Insert(at, 0, step), found, isKey
	}
	return nil, nil, false
}
