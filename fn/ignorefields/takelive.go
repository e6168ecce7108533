package ignorefields

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/hash"
	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/take"
)

// takeLive gives the fields the values that they have in the live object, so that
// an apply changes nothing there.
var takeLive = action{name: "TakeLive", needsLive: true, prepare: (*job).prepareTaking, act: (*job).takeFields}

// noLiveFault says how to give live objects.
const noLiveFault = `TakeLive needs the objects of the cluster, and there are none: with krm-fields, give --live the output of ` +
	`"kubectl get -o yaml --show-managed-fields"; in a list, give them the annotation ` + liveAnnotation + `: "true", or put them below live.pathPrefix`

// resolveLive resolves the rules in the live object, too. An expression that finds
// something in one of the two objects has matched.
func (j *job) resolveLive() {
	if !j.mask.IsZero() {
		hash, _ := annotation(j.object.Original(), j.run.config.ObjectHash.Annotation)
		j.mask = redact.New(j.object.Original(), j.there).With(hash)
	}
	// What a record names by index are the elements of the object that carries it.
	rules := slices.DeleteFunc(slices.Clone(j.rules), func(r rule) bool { return r.fromAnnotation })
	live := resolve(object.JSON(j.there), rules, j.resolution.keepsMissing)
	j.inLive = live.found
	j.resolution.matched = append(j.resolution.matched, live.matched...)
	j.resolution.failed = append(j.resolution.failed, live.failed...)
	for _, f := range live.failures {
		f.inLive = true
		j.resolution.failures = append(j.resolution.failures, f)
	}
	j.resolution.missing = slices.DeleteFunc(j.resolution.missing, func(f failure) bool {
		return !slices.ContainsFunc(live.missing, func(other failure) bool { return other.source == f.source && other.part == f.part })
	})
	if j.resolution.fatal == nil {
		j.resolution.fatal = live.fatal
	}
}

// prepareTaking finds out what is to be taken. The hash is of the object without
// the places that the locations stand for, and without what is empty without
// them, so that it stays when the live values change.
func (j *job) prepareTaking() error {
	parents := j.foundParents()
	if j.there == nil {
		j.pruneParents(parents)
		return nil
	}
	sources, named := j.named()
	taking, err := take.Compare(take.Input{
		Ours: j.object.Original(), Live: j.there, InOurs: named(j.resolution.found), InLive: named(j.inLive),
		Keys: j.mergeKeys, IsKept: j.isKept,
	})
	if err != nil {
		return &takeLiveError{by: sourceOf(err, *sources), err: err}
	}
	j.taking, j.takers = taking, *sources
	var places []locate.Location
	for _, l := range taking.Places {
		if now, ok := j.object.Now(l); ok {
			places = append(places, now)
		}
	}
	j.object.Remove(places)
	j.pruneParents(append(parents, taking.Parents...))
	return nil
}

// named returns a function that numbers what found locations, and the numbered.
func (j *job) named() (*[]found, func([]found) []take.Named) {
	var sources []found
	return &sources, func(all []found) []take.Named {
		var named []take.Named
		for _, f := range all {
			if f.condition != onSpokePresent {
				continue
			}
			named = append(named, take.Named{At: f.location, By: len(sources)})
			sources = append(sources, f)
		}
		return named
	}
}

// takeLiveError is an object that can't be given the live values.
type takeLiveError struct {
	by  *source
	err error
}

func (e *takeLiveError) Error() string { return e.by.path + ": " + e.err.Error() }

func sourceOf(err error, sources []found) *source {
	if ambiguous, ok := errors.AsType[*take.AmbiguousError](err); ok {
		return sources[ambiguous.By].by
	}
	if types, ok := errors.AsType[*take.TypeError](err); ok {
		return sources[types.By].by
	}
	return sources[0].by
}

// isKept tells whether a location is an annotation that is never taken: the hash,
// one of this function, or one of a host.
func (j *job) isKept(l locate.Location) bool {
	if len(l) != len(annotationsAt)+1 || !annotationsAt.Contains(l) {
		return false
	}
	key := l[len(l)-1].Key
	return key == j.run.config.ObjectHash.Annotation || strings.HasPrefix(key, "fn.kpt.dev/") || hash.IsForeign(key)
}

// mergeKeys returns the merge keys of a list as the schema of the object's kind has
// them.
func (j *job) mergeKeys(list locate.Location) []take.MergeKey {
	return j.run.schemas.mergeKeys(j.ref, list)
}

// takeFields gives the object the live values and reports them.
func (j *job) takeFields() error {
	j.object.Reset()
	if err := j.taking.Apply(j.object); err != nil {
		return err
	}
	if j.run.config.PruneEmptied == pruneAlways {
		j.pruneParents(j.taking.Parents)
	}
	j.reportTaken()
	return nil
}

func (j *job) reportTaken() {
	changes := j.taking.Changes
	if len(changes) == 0 {
		return
	}
	var message strings.Builder
	message.WriteString("1 field taken from the live object: ")
	if len(changes) > 1 {
		message.Reset()
		fmt.Fprintf(&message, "%d fields taken from the live object: ", len(changes))
	}
	for i, c := range changes {
		if i > 0 {
			message.WriteString(", ")
		}
		fmt.Fprintf(&message, "%s: %s → %s (%s)", c.At, valueText(j.mask, c.At, c.Old), valueText(j.mask, c.At, c.New), j.takers[c.By].by.path)
	}
	first := j.takers[changes[0].By]
	result := j.result(report.Info, message.String(), first.by.tags(report.FieldsTaken, first.condition))
	result.Field = report.Field{Path: changes[0].At.String()}
	if old := changes[0].Old; old != nil {
		result.Field.HasCurrent, result.Field.Current = true, j.mask.Value(changes[0].At, tree.Value(old))
	}
	j.outcome.results = append(j.outcome.results, result)
}

// maxValue is how many bytes of a value a message shows.
const maxValue = 60

// valueText returns a value as a message shows it: as JSON, cut off where it is
// long, and without what the mask hides.
func valueText(mask redact.Mask, l locate.Location, n *yaml.Node) string {
	if n == nil {
		return "nothing"
	}
	text, err := tree.MarshalJSON(tree.FromValue(mask.Value(l, tree.Value(n))))
	if err != nil || len(text) <= maxValue {
		return string(text)
	}
	end := maxValue
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return string(text[:end]) + "…"
}
