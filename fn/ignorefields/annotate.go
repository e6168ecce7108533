package ignorefields

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
)

// commentPrefix begins the line comment of a recorded field.
const commentPrefix = "# ignored: "

// recorded is one field in the annotation fn.kpt.dev/ignored-fields.
type recorded struct {
	Condition string `json:"condition"`
	Pointer   string `json:"pointer"`
}

// annotate records the fields in the object, which keeps them.
var annotate = action{name: "Annotate", onCreate: true, prepare: (*job).pruneStripped, act: (*job).record}

// record records the locations in the object's annotation, and where the
// configuration says so as comments.
func (j *job) record() error {
	j.object.Reset()
	fields := recordable(slices.DeleteFunc(slices.Clone(j.resolution.found), j.isOwn))
	value, err := recordText(fields)
	if err != nil {
		return err
	}
	before, had := annotation(j.object.Root(), recordAnnotation)
	switch {
	case len(fields) == 0 && had:
		removeAnnotation(j.object, recordAt)
	case len(fields) > 0:
		if err := setAnnotation(j.object, recordAt, value); err != nil {
			return err
		}
	}
	if j.run.config.Annotate.Comments {
		j.comment(fields)
	}
	if before != value {
		j.reportFields(report.FieldsAnnotated, "annotated", fields)
	}
	return nil
}

// isOwn tells whether f is an annotation that the run itself writes. A rule for
// all annotations would find it from the second run on.
func (j *job) isOwn(f found) bool {
	return locate.Compare(f.location, recordAt) == 0 || locate.Compare(f.location, j.run.hashAt) == 0
}

// recordable returns the locations without duplicates and without those that
// lie in another one that stands for them, sorted by pointer.
func recordable(all []found) []found {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b found) int {
		if order := locate.Compare(a.location, b.location); order != 0 {
			return order
		}
		return strings.Compare(b.condition, a.condition) // what is left to the cluster altogether first
	})
	var fields []found
	// The last location that is recorded for each condition: those inside it
	// follow it.
	var present, change locate.Location
	for _, f := range sorted {
		switch {
		case present != nil && present.Contains(f.location):
			continue
		case f.condition == onSpokePresent:
			present = f.location
		case change != nil && change.Contains(f.location):
			continue
		default:
			change = f.location
		}
		fields = append(fields, f)
	}
	slices.SortFunc(fields, func(a, b found) int {
		return strings.Compare(a.location.Pointer(), b.location.Pointer())
	})
	return fields
}

func recordText(fields []found) (string, error) {
	if len(fields) == 0 {
		return "", nil
	}
	records := make([]recorded, len(fields))
	for i, f := range fields {
		records[i] = recorded{Condition: f.condition, Pointer: f.location.Pointer()}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(records); err != nil {
		return "", err
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}

// comment sets the line comments of the fields and removes those that no longer
// hold.
func (j *job) comment(fields []found) {
	comments := make([]object.LineComment, len(fields))
	for i, f := range fields {
		comments[i] = object.LineComment{Location: f.location, Comment: commentPrefix + f.condition}
	}
	j.object.SetLineComments(comments, []string{commentPrefix + onSpokePresent, commentPrefix + onSpokeChange})
}
