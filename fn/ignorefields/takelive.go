package ignorefields

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/objecthash"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/livevalue"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// takeLive sets the fields to their values in the live object, so that an apply changes nothing
// there.
var takeLive = Action{
	Name: "TakeLive", Does: "gives the fields their live values", Effect: TakenFromLive,
	prepare: (*job).prepareTaking, act: (*job).takeFields,
}

// noLiveFault says how to give live objects.
const noLiveFault = ` needs live objects, and there are none: on the command line, give --live the output of ` +
	`"kubectl get -o yaml --show-managed-fields"; in a list of a host, add the annotation ` +
	liveAnnotation + `: "true" to them, or put them under live.pathPrefix`

// resolveLive resolves the rules also in the live object. An expression that finds something in one
// of the two objects has matched.
func (j *job) resolveLive() {
	j.shown = j.object.Shown(j.view.Original(), j.live)
	live := j.foundInLive(j.writtenRules())
	j.inLive = live.Found
	j.resolver.Matched = append(j.resolver.Matched, live.Matched...)
	j.resolver.Failed = append(j.resolver.Failed, live.Failed...)
	for _, f := range live.Failures {
		f.InLive = true
		if j.run.action.Effect != TakenFromLive { // what the package has is kept all the same
			j.outcome.results = append(j.outcome.results, j.expressionResult(report.SeverityWarning, report.ReasonSSAIgnoreFieldError, f))
			continue
		}
		j.resolver.Failures = append(j.resolver.Failures, f)
	}
	j.resolver.Missing = slices.DeleteFunc(j.resolver.Missing, func(f rules.Failure) bool {
		return !slices.ContainsFunc(live.Missing, func(other rules.Failure) bool { return other.Source == f.Source })
	})
}

// writtenRules are the rules for the live object: the indices in a record are those of the object
// that carries it.
func (j *job) writtenRules() []rules.Rule {
	written := slices.DeleteFunc(slices.Clone(j.rules), func(r rules.Rule) bool { return r.FromAnnotation != nil })
	for i := range written {
		if written[i].FromOwners {
			written[i].Owned = j.owned.there
		}
	}
	return j.withManaged(written, j.live)
}

func (j *job) foundInLive(all []rules.Rule) rules.Resolution {
	live := rules.Resolver{Reporter: j, KeepsMissing: j.resolver.KeepsMissing}
	live.Resolve(object.JSON(j.live), all, j)
	if j.resolver.Fatal == nil {
		j.resolver.Fatal = live.Fatal
	}
	return live.Resolution
}

// addCounterparts adds the fields of the object that the rules find only in the live one: a rule
// holds for both where it finds the field on one side.
func (j *job) addCounterparts() {
	var conditional []rules.Rule
	for _, rule := range j.rules {
		if rule = rule.Conditional(); len(rule.Lists) > 0 {
			conditional = append(conditional, rule)
		}
	}
	if len(conditional) == 0 {
		return
	}
	live := j.foundInLive(conditional)
	known := location.NewSet()
	for _, f := range j.resolver.Found {
		if len(f.Inside) == 0 {
			known.Add(f.Location)
		}
	}
	named := make([]livevalue.Named, len(live.Found))
	for i, f := range live.Found {
		named[i] = livevalue.Named{At: f.Location, By: i}
	}
	var strip []location.Location
	_, err := livevalue.Compare(livevalue.Input{
		Ours: j.view.Original(), Live: j.live, InLive: named, Keys: j.mergeKeys, IsKept: j.isKept, IsLenient: true,
		Choose: func(p livevalue.PairedField) *tree.Node {
			if p.Old == nil || known.HasAround(p.At) {
				return nil
			}
			known.Add(p.At)
			f := live.Found[p.By]
			f.Location = p.At
			j.resolver.Found = append(j.resolver.Found, f)
			if now, ok := j.view.EditedLocation(p.At); ok && f.Condition == rules.OnSpokePresent {
				strip = append(strip, now)
			}
			j.resolver.Match(j.rules, f.By)
			return nil
		},
	})
	if err != nil { // a lenient comparison has none
		j.resolver.Fatal = err
	}
	j.view.Remove(strip)
}

// prepareTaking determines what to take. The hash is of the object without these places, and
// without what becomes empty by that, so that it stays when the live values change.
func (j *job) prepareTaking() error {
	parents := j.foundParents()
	if j.live == nil {
		pruneParents(&j.view, parents)
		return nil
	}
	if err := j.compare(nil); err != nil {
		return err
	}
	j.view.RemoveOriginal(j.taking.Places)
	pruneParents(&j.view, append(parents, j.taking.Parents...))
	if err := j.compareInside(nil); err != nil {
		return err
	}
	return j.leaveOutInside()
}

// comparedPlaces are the places of the object that a comparison must not see.
func (j *job) comparedPlaces() (places []location.Location) {
	all := j.taking.Places
	if j.live == nil {
		for _, f := range j.present() {
			if len(f.Inside) == 0 {
				all = append(all, f.Location)
			}
		}
	}
	for _, l := range all {
		if now, ok := j.object.EditedLocation(l); ok {
			places = append(places, now)
			continue
		}
		for len(l) > 1 && location.At(j.view.Original(), l[:len(l)-1]) == nil {
			l = l[:len(l)-1] // which has nothing but live values
		}
		if location.At(j.object.Root(), l) != nil {
			places = append(places, l)
		}
	}
	return location.Distinct(places)
}

// compare determines what to take, of what choose returns for a place; nil takes all.
func (j *job) compare(choose func(livevalue.PairedField) *tree.Node) error {
	ours, live := j.resolver.Found, j.inLive
	if choose != nil {
		ours, live = j.keptIn(j.view.Original(), ours), j.keptIn(j.live, live)
	}
	taking, err := livevalue.Compare(livevalue.Input{
		Ours: j.view.Original(), Live: j.live, InOurs: j.named(ours), InLive: j.named(live),
		Keys: j.mergeKeys, IsKept: func(l location.Location) bool { return j.isKept(l) || choose == nil && j.isStatus(l) }, Choose: choose,
		IsLenient: j.run.config.compared != "",
	})
	if err != nil {
		return &takeLiveError{by: sourceOf(err, j.takers), err: err}
	}
	j.taking = taking
	return nil
}

// keptIn returns what was found in one of the two objects as Keep asks for it: in a Secret key by
// key, and without the data that the package sets in stringData, where it is kept.
func (j *job) keptIn(root *tree.Node, found []rules.Found) []rules.Found {
	texts := tree.Lookup(j.view.Original(), stringData)
	if texts == nil || !redact.IsSecret(j.ref.APIVersion, j.ref.Kind) {
		return found
	}
	var all []rules.Found
	for _, f := range found {
		if len(f.Location) > 2 || f.Location[0].Key != "data" && f.Location[0].Key != stringData || len(f.Inside) > 0 {
			all = append(all, f)
			continue
		}
		keys := []string{f.Location[len(f.Location)-1].Key}
		if len(f.Location) == 1 {
			keys = slices.Sorted(maps.Keys(maps.Collect(tree.Entries(location.At(root, f.Location)))))
		}
		for _, key := range keys {
			if f.Location[0].Key == stringData || tree.Lookup(texts, key) == nil {
				f.Location = f.Location[:1].With(location.Key(key))
				all = append(all, f)
			}
		}
	}
	return all
}

// named returns the locations to take, by the numbers of what found them.
func (j *job) named(all []rules.Found) []livevalue.Named {
	var named []livevalue.Named
	for _, f := range all {
		if f.Condition != rules.OnSpokePresent && !j.takesChanges || len(f.Inside) > 0 {
			continue
		}
		named = append(named, livevalue.Named{At: f.Location, By: len(j.takers)})
		j.takers = append(j.takers, f)
	}
	return named
}

// takeLiveError reports an object that can't get the live values.
type takeLiveError struct {
	by  *rules.Source
	err error
}

func (e *takeLiveError) Error() string { return e.by.Path + ": " + e.err.Error() }

func sourceOf(err error, sources []rules.Found) *rules.Source {
	if failed, ok := errors.AsType[*livevalue.Error](err); ok {
		return sources[failed.By].By
	}
	return sources[0].By
}

// isKept tells whether a location is an annotation that is never taken: the hash, one of this
// function, or one of a host.
func (j *job) isKept(l location.Location) bool {
	if len(l) != len(annotationsAt)+1 || !annotationsAt.Contains(l) {
		return false
	}
	key := l[len(l)-1].Key
	return key == j.run.config.ObjectHash.Annotation || strings.HasPrefix(key, AnnotationGroup) || objecthash.IsForeign(key)
}

// takeFields sets the live values in the object and reports them.
func (j *job) takeFields() error {
	if err := j.applyTaking(j.taking.Parents); err != nil {
		return err
	}
	j.reportTaken(report.ReasonFieldsTaken, "taken from the live object", j.takenFields())
	return nil
}

// applyTaking sets the live values, and removes what that empties if the configuration says so.
func (j *job) applyTaking(parents []location.Location) error {
	if err := j.takeInside(); err != nil {
		return err
	}
	if err := j.taking.Apply(j.object); err != nil {
		return err
	}
	if j.run.config.PruneEmptied == pruneAlways {
		pruneParents(j.object, parents)
	}
	return nil
}

// taken is a field that got its live value, as a result shows it.
type taken struct {
	place, old, new string
	// isSame is true if the package has the same value, and why says why it was taken.
	isSame     bool
	why        string
	current    any
	hasCurrent bool
	by         rules.Found
}

// takenField returns a field that got its live value. Values inside a Secret are not shown.
func (j *job) takenField(f rules.Found, old, value *tree.Node) taken {
	t := taken{place: j.placeOf(f), old: redact.Masked, new: redact.Masked, by: f}
	if len(f.Inside) == 0 || !j.shown.HasSecret() {
		t.old, t.new = j.shown.Show(f.Location, old, maxValue), j.shown.Show(f.Location, value, maxValue)
	}
	if old != nil {
		f.Value = old
		t.hasCurrent, t.current = true, j.valueOf(f)
	}
	return t
}

// takenFields returns the fields that got their live values, those in strings last.
func (j *job) takenFields() []taken {
	var all []taken
	for _, c := range j.taking.Changes {
		f := j.takers[c.By]
		f.Location = c.At
		all = append(all, j.takenField(f, c.Old, c.New))
	}
	for _, i := range j.inside {
		for _, c := range i.taking.Changes {
			all = append(all, j.takenField(i.found(c.At, c.By), c.Old, c.New))
		}
	}
	return all
}

// reportTaken reports fields that have their live values in one result.
func (j *job) reportTaken(reason, what string, fields []taken) {
	if len(fields) == 0 {
		return
	}
	var message strings.Builder
	message.WriteString(words.Count(len(fields), "field") + " " + what)
	separator := ": "
	for _, t := range fields {
		message.WriteString(separator + t.place + ": ")
		separator = ", "
		if !t.isSame {
			message.WriteString(t.old + " → ")
		}
		message.WriteString(t.new)
		if t.why != "" {
			message.WriteString(", " + t.why)
		}
		message.WriteString(" (" + t.by.By.Name() + ")")
	}
	first := fields[0]
	result := j.result(report.SeverityInfo, message.String(), first.by.By.Tags(reason, first.by.Condition))
	result.Field = report.Field{Path: first.place, HasCurrent: first.hasCurrent, Current: first.current}
	j.outcome.results = append(j.outcome.results, result)
}

// maxValue bounds how many characters of a value a message shows.
const maxValue = 60
