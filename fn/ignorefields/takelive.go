package ignorefields

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/objecthash"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/livevalue"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// takeLive sets the fields to their values in the live object, so that an apply changes nothing
// there.
var takeLive = Action{
	Name: "TakeLive", Does: "gives the fields their live values", Effect: TakenFromLive,
	needsLive: true, prepare: (*job).prepareTaking, act: (*job).takeFields,
}

// noLiveFault says how to give live objects.
const noLiveFault = `TakeLive needs live objects, and there are none: on the command line, give --live the output of ` +
	`"kubectl get -o yaml --show-managed-fields"; in a list of a host, add the annotation ` +
	liveAnnotation + `: "true" to them, or put them under live.pathPrefix`

// resolveLive resolves the rules also in the live object. An expression that finds something in one
// of the two objects has matched.
func (j *job) resolveLive() {
	if !j.mask.IsZero() {
		hash, _ := annotation(j.view.Original(), j.run.config.ObjectHash.Annotation)
		j.mask = redact.New(j.view.Original(), j.live).With(hash)
	}
	// indices in a record are those of the object that carries it
	written := slices.DeleteFunc(slices.Clone(j.rules), func(r rules.Rule) bool { return r.FromAnnotation != nil })
	for i := range written {
		if written[i].FromOwners {
			written[i].Owned = j.owned.there
		}
	}
	live := rules.Resolve(object.JSON(j.live), written, j.resolution.KeepsMissing, j)
	j.inLive = live.Found
	j.resolution.Matched = append(j.resolution.Matched, live.Matched...)
	j.resolution.Failed = append(j.resolution.Failed, live.Failed...)
	for _, f := range live.Failures {
		f.InLive = true
		j.resolution.Failures = append(j.resolution.Failures, f)
	}
	j.resolution.Missing = slices.DeleteFunc(j.resolution.Missing, func(f rules.Failure) bool {
		return !slices.ContainsFunc(live.Missing, func(other rules.Failure) bool { return other.Source == f.Source && other.Part == f.Part })
	})
	if j.resolution.Fatal == nil {
		j.resolution.Fatal = live.Fatal
	}
}

// prepareTaking determines what to take. The hash is of the object without these places, and
// without what becomes empty by that, so that it stays when the live values change.
func (j *job) prepareTaking() error {
	parents := j.foundParents()
	if j.live == nil {
		pruneParents(&j.view, parents)
		return nil
	}
	sources, named := j.named()
	taking, err := livevalue.Compare(livevalue.Input{
		Ours: j.view.Original(), Live: j.live, InOurs: named(j.resolution.Found), InLive: named(j.inLive),
		Keys: j.mergeKeys, IsKept: j.isKept,
	})
	if err != nil {
		return &takeLiveError{by: sourceOf(err, *sources), err: err}
	}
	j.taking, j.takers = taking, *sources
	var places []location.Location
	for _, l := range taking.Places {
		if now, ok := j.view.EditedLocation(l); ok {
			places = append(places, now)
		}
	}
	j.view.Remove(places)
	pruneParents(&j.view, append(parents, taking.Parents...))
	return j.prepareInside()
}

// named returns a function that numbers expressions, and the numbered ones.
func (j *job) named() (*[]rules.Found, func([]rules.Found) []livevalue.Named) {
	var sources []rules.Found
	return &sources, func(all []rules.Found) []livevalue.Named {
		var named []livevalue.Named
		for _, f := range all {
			if f.Condition != rules.OnSpokePresent || len(f.Inside) > 0 {
				continue
			}
			named = append(named, livevalue.Named{At: f.Location, By: len(sources)})
			sources = append(sources, f)
		}
		return named
	}
}

// takeLiveError reports an object that can't get the live values.
type takeLiveError struct {
	by  *rules.Source
	err error
}

func (e *takeLiveError) Error() string { return e.by.Path + ": " + e.err.Error() }

func sourceOf(err error, sources []rules.Found) *rules.Source {
	if ambiguous, ok := errors.AsType[*livevalue.AmbiguousError](err); ok {
		return sources[ambiguous.By].By
	}
	if types, ok := errors.AsType[*livevalue.TypeError](err); ok {
		return sources[types.By].By
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
	return key == j.run.config.ObjectHash.Annotation || strings.HasPrefix(key, "fn.kpt.dev/") || objecthash.IsForeign(key)
}

// mergeKeys returns the merge keys of a list in the schema of the object's kind.
func (j *job) mergeKeys(list location.Location) listkey.Key {
	return j.run.schemas.mergeKeys(j.ref, list)
}

// takeFields sets the live values in the object and reports them.
func (j *job) takeFields() error {
	if err := j.takeInside(); err != nil {
		return err
	}
	if err := j.taking.Apply(j.object); err != nil {
		return err
	}
	if j.run.config.PruneEmptied == pruneAlways {
		pruneParents(j.object, j.taking.Parents)
	}
	j.reportTaken()
	return nil
}

// taken is a field that got its live value, as a result shows it.
type taken struct {
	place, old, new string
	current         any
	hasCurrent      bool
	by              rules.Found
}

// takenFields returns the fields that got their live values, those in strings last.
func (j *job) takenFields() []taken {
	var all []taken
	for _, c := range j.taking.Changes {
		t := taken{
			place: c.At.String(), old: valueText(j.mask, c.At, c.Old), new: valueText(j.mask, c.At, c.New), by: j.takers[c.By],
		}
		if c.Old != nil {
			t.hasCurrent, t.current = true, j.mask.Value(c.At, tree.Value(c.Old))
		}
		all = append(all, t)
	}
	for _, i := range j.inside {
		all = append(all, i.fields(j)...)
	}
	return all
}

func (j *job) reportTaken() {
	fields := j.takenFields()
	if len(fields) == 0 {
		return
	}
	var message strings.Builder
	message.WriteString("1 field taken from the live object: ")
	if len(fields) > 1 {
		message.Reset()
		fmt.Fprintf(&message, "%d fields taken from the live object: ", len(fields))
	}
	for i, t := range fields {
		if i > 0 {
			message.WriteString(", ")
		}
		fmt.Fprintf(&message, "%s: %s → %s (%s)", t.place, t.old, t.new, t.by.By.Name())
	}
	first := fields[0]
	result := j.result(report.SeverityInfo, message.String(), first.by.By.Tags(report.ReasonFieldsTaken, first.by.Condition))
	result.Field = report.Field{Path: first.place, HasCurrent: first.hasCurrent, Current: first.current}
	j.outcome.results = append(j.outcome.results, result)
}

// maxValue bounds how many characters of a value a message shows.
const maxValue = 60

// valueText returns a value as a message shows it: as JSON, shortened, and redacted by the mask.
func valueText(mask redact.Mask, l location.Location, n *tree.Node) string {
	if n == nil {
		return "nothing"
	}
	text, err := tree.MarshalJSON(tree.FromValue(mask.Value(l, tree.Value(n))))
	if err != nil {
		return err.Error()
	}
	return words.Shorten(string(text), maxValue)
}
