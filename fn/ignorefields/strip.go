package ignorefields

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// strip removes the fields.
var strip = Action{
	Name: Strip, Does: "removes the fields", Effect: LeftOut, prepare: (*job).pruneFound, act: (*job).strip,
}

// strip replaces the object with the view, which has no found fields, and reports that, unless
// fields are kept.
func (j *job) strip() error {
	if j.run.comparesLive() && j.live != nil {
		return j.keep()
	}
	stripped := j.present()
	note := j.noteEmptied(stripped)
	j.object.Adopt(&j.view)
	if j.reportFields(report.ReasonFieldsIgnored, "removed", stripped); note != "" {
		j.outcome.results[len(j.outcome.results)-1].Message += note
	}
	j.reportHandovers()
	j.warnOfLost()
	return nil
}

// noteEmptied names the first annotations or labels of a template that stripping has emptied, and
// that stay, unlike those of the object itself; "" for none.
func (j *job) noteEmptied(stripped []rules.Found) string {
	for _, f := range stripped {
		last := len(f.Location) - 2
		if len(f.Inside) > 0 || last < 2 || f.Location[last-1].Key != "metadata" {
			continue
		}
		at := f.Location[:last+1]
		now, ok := j.view.EditedLocation(at)
		isOfMetadata := at[last] == annotationsAt[1] || at[last] == labelsAt[1]
		if !isOfMetadata || !ok || len(location.At(j.view.Root(), now).Content) > 0 {
			continue
		}
		return "; " + at.String() + " stays as {}, which pruneEmptied: Always removes, too"
	}
	return ""
}

// present returns the locations that are stripped, in the order they were found, without those that
// lie inside another one.
func (j *job) present() []rules.Found {
	isLeft := func(f rules.Found) bool { return f.Condition != rules.OnSpokePresent }
	stripped := j.resolver.Found
	if slices.ContainsFunc(stripped, isLeft) {
		stripped = slices.DeleteFunc(slices.Clone(stripped), isLeft)
	}
	if len(stripped) < 2 {
		return stripped
	}
	j.places = j.places[:0]
	for _, f := range stripped {
		j.places = append(j.places, f.Full())
	}
	outer := location.SortOutermost(j.places)
	if len(outer) == len(stripped) {
		return stripped
	}
	known := make([]bool, len(outer))
	return slices.DeleteFunc(slices.Clone(stripped), func(f rules.Found) bool {
		i, isOuter := slices.BinarySearchFunc(outer, f.Full(), location.Compare)
		isNew := isOuter && !known[i]
		if isNew {
			known[i] = true
		}
		return !isNew
	})
}

// usualMessage is the length, in bytes, of a message that is written without another allocation.
const usualMessage = 512

// reportFields reports what was done at locations in one result.
func (j *job) reportFields(reason, verb string, fields []rules.Found) {
	if len(fields) == 0 {
		return
	}
	var space [usualMessage]byte
	text := append(append(append(append(space[:0], words.Count(len(fields), "field")...), ' '), verb...), ": "...)
	for i, f := range fields {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(append(append(j.appendPlace(text, f), " ("...), f.By.Name()...), ')')
	}
	first := fields[0]
	result := j.result(report.SeverityInfo, string(text), first.By.Tags(reason, first.Condition))
	result.Field = report.Field{Path: j.placeOf(first), HasCurrent: true, Current: j.valueOf(first)}
	j.outcome.results = append(j.outcome.results, result)
}

// appendPlace appends where a field is to a text.
func (j *job) appendPlace(text []byte, f rules.Found) []byte {
	if len(f.Inside) == 0 && !j.shown.HasSecret() {
		return f.Location.Append(text)
	}
	return append(text, j.placeOf(f)...)
}

// placeOf returns where a field is. Of the keys inside a Secret's values it shows those that the
// expression has.
func (j *job) placeOf(f rules.Found) string {
	if !j.shown.HasSecret() {
		return f.String()
	}
	return embedded.Text(j.shownPlace(f))
}

func (j *job) shownPlace(f rules.Found) (location.Location, []embedded.InnerLocation) {
	if !j.shown.HasSecret() {
		return f.Location, f.Inside
	}
	return j.shown.Location(f.Location), embedded.Hidden(f.Inside, f.By.Text())
}

// valueOf returns the input value of a field, as a result shows it.
func (j *job) valueOf(f rules.Found) any {
	switch {
	case len(f.Inside) == 0:
		return j.shown.Value(f.Location, tree.Value(j.view.OriginalAt(f.Location)))
	case j.shown.HasSecret():
		return redact.Masked
	}
	return tree.Value(f.Value)
}

// pruneFound removes from the view the maps and lists that stripping has emptied, if the
// configuration says so.
func (j *job) pruneFound() error {
	if j.run.config.PruneEmptied == pruneAlways {
		pruneParents(&j.view, j.foundParents())
	}
	return nil
}

// foundParents returns the maps and lists that hold found fields.
func (j *job) foundParents() []location.Location {
	var parents []location.Location
	for _, f := range j.present() {
		if len(f.Inside) > 0 {
			continue
		}
		parents = append(parents, f.Location[:len(f.Location)-1])
	}
	return parents
}

// pruneParents removes empty ones of the maps and lists, and those that this empties.
// metadata.annotations and metadata.labels are left to pruneMetadata.
func pruneParents(o *object.Object, parents []location.Location) {
	pruneEmptied(o, parents, func(l location.Location) bool {
		return location.Compare(l, annotationsAt) == 0 || location.Compare(l, labelsAt) == 0
	})
}

// pruneEmptied removes from the object empty ones of the maps and lists, and those that this
// empties, except those that are kept.
func pruneEmptied(o *object.Object, parents []location.Location, isKept func(location.Location) bool) {
	deepest := 0
	for _, l := range parents {
		deepest = max(deepest, len(l))
	}
	for depth := deepest; depth > 0; depth-- {
		parents = pruneAt(o, depth, parents, isKept)
	}
}

// pruneAt removes the locations that have this depth and are empty. It returns all others, and the
// parents of the missing ones.
func pruneAt(
	o *object.Object, depth int, locations []location.Location, isKept func(location.Location) bool,
) []location.Location {
	var left, emptied []location.Location
	for _, l := range location.Distinct(locations) {
		if len(l) < depth {
			left = append(left, l)
			continue
		}
		if isKept(l) {
			continue
		}
		if now, ok := o.EditedLocation(l); ok {
			if n := location.At(o.Root(), now); len(n.Content) > 0 {
				continue
			}
			emptied = append(emptied, now)
		}
		left = append(left, l[:depth-1])
	}
	o.Remove(emptied)
	return left
}

// pruneMetadata removes metadata.annotations and metadata.labels if the run has emptied them.
func (j *job) pruneMetadata() {
	for _, l := range []location.Location{annotationsAt, labelsAt} {
		if after := location.At(j.object.Root(), l); after == nil || len(after.Content) > 0 {
			continue
		}
		if before := location.At(j.view.Original(), l); before != nil && len(before.Content) > 0 {
			j.object.Remove([]location.Location{l})
		}
	}
}
