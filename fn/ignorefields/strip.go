package ignorefields

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// strip removes the fields. They are out of the object already when it acts.
var strip = action{name: "Strip", prepare: (*job).pruneStripped, act: (*job).reportStripped}

// present returns the locations that are stripped, in the order they were
// found, without those that lie in another one.
func (j *job) present() []found {
	isLeft := func(f found) bool { return f.condition != onSpokePresent }
	stripped := j.resolution.found
	if slices.ContainsFunc(stripped, isLeft) {
		stripped = slices.DeleteFunc(slices.Clone(stripped), isLeft)
	}
	if len(stripped) < 2 {
		return stripped
	}
	locations := make([]locate.Location, len(stripped))
	for i, f := range stripped {
		locations[i] = f.location
	}
	outer := locate.Outermost(locations)
	if len(outer) == len(stripped) {
		return stripped
	}
	known := make([]bool, len(outer))
	return slices.DeleteFunc(slices.Clone(stripped), func(f found) bool {
		i, isOuter := slices.BinarySearchFunc(outer, f.location, locate.Compare)
		isNew := isOuter && !known[i]
		if isNew {
			known[i] = true
		}
		return !isNew
	})
}

// reportStripped reports the fields that were stripped.
func (j *job) reportStripped() error {
	j.reportFields(report.FieldsIgnored, "ignored", j.present())
	j.reportHandovers()
	return nil
}

// usualMessage is the length, in bytes, up to which a message is written without more memory.
const usualMessage = 512

// reportFields reports what was done at locations in one result.
func (j *job) reportFields(reason, verb string, fields []found) {
	if len(fields) == 0 {
		return
	}
	count := "1 field"
	if len(fields) > 1 {
		count = fmt.Sprintf("%d fields", len(fields))
	}
	var space [usualMessage]byte
	text := append(append(append(append(space[:0], count...), ' '), verb...), ": "...)
	names := len(text)
	for i, f := range fields {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(append(append(f.location.Append(text), " ("...), f.by.path...), ')')
	}
	message := string(text)
	if !j.mask.IsZero() {
		message = message[:names] + j.mask.Text(message[names:]) // the count is no value of a Secret
	}
	first := fields[0]
	result := report.Result{
		Message: message, Severity: report.Info, Ref: j.ref, File: j.file, Tags: first.by.tags(reason, first.condition),
		Field: report.Field{
			Path: first.location.String(), HasCurrent: true,
			Current: j.mask.Value(first.location, tree.Value(locate.At(j.object.Original(), first.location))),
		},
	}
	j.outcome.results = append(j.outcome.results, result)
}

// pruneStripped removes the maps and lists that stripping has emptied, if the
// configuration says so.
func (j *job) pruneStripped() error {
	if j.run.config.PruneEmptied == pruneAlways {
		j.pruneParents(j.foundParents())
	}
	return nil
}

// foundParents returns the maps and lists that hold what is stripped.
func (j *job) foundParents() []locate.Location {
	var parents []locate.Location
	for _, f := range j.present() {
		parents = append(parents, f.location[:len(f.location)-1])
	}
	return parents
}

// pruneParents removes those of the maps and lists that are empty, and those that
// this empties. metadata.annotations and metadata.labels wait for pruneMetadata.
func (j *job) pruneParents(parents []locate.Location) {
	deepest := 0
	for _, l := range parents {
		deepest = max(deepest, len(l))
	}
	for depth := deepest; depth > 0; depth-- {
		parents = j.pruneAt(depth, parents)
	}
}

// pruneAt removes those of the locations that have this depth and are empty. It
// returns all others, and the parents of those that are no longer there.
func (j *job) pruneAt(depth int, locations []locate.Location) []locate.Location {
	var left, emptied []locate.Location
	for _, l := range locate.Distinct(locations) {
		if len(l) < depth {
			left = append(left, l)
			continue
		}
		if locate.Compare(l, annotationsAt) == 0 || locate.Compare(l, labelsAt) == 0 {
			continue
		}
		if now, ok := j.object.Now(l); ok {
			if n := locate.At(j.object.Root(), now); len(n.Content) > 0 {
				continue
			}
			emptied = append(emptied, now)
		}
		left = append(left, l[:depth-1])
	}
	j.object.Remove(emptied)
	return left
}

// pruneMetadata removes metadata.annotations and metadata.labels where the run
// has emptied them.
func (j *job) pruneMetadata() {
	for _, l := range []locate.Location{annotationsAt, labelsAt} {
		before, after := locate.At(j.object.Original(), l), locate.At(j.object.Root(), l)
		if before != nil && len(before.Content) > 0 && after != nil && len(after.Content) == 0 {
			j.object.Remove([]locate.Location{l})
		}
	}
}
