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

// annotate records the locations in the object's annotation, and where the
// configuration says so as comments.
func (j *job) annotate() error {
	fields := recordable(j.resolution.found)
	value, err := recordText(fields)
	if err != nil {
		return err
	}
	before, had := annotation(j.object.Root(), recordAnnotation)
	switch {
	case len(fields) == 0 && had:
		removeAnnotation(j.object, recordAnnotation)
	case len(fields) > 0:
		if err := setAnnotation(j.object, recordAnnotation, value); err != nil {
			return err
		}
	}
	if j.config.Annotate.Comments {
		j.comment(fields)
	}
	if before != value {
		j.reportFields(report.FieldsAnnotated, "annotated", fields)
	}
	return nil
}

// recordable returns the locations without duplicates and without those that
// lie in another one that stands for them, sorted by pointer.
func recordable(all []found) []found {
	var fields []found
	for i, f := range all {
		covered := slices.ContainsFunc(all, func(other found) bool {
			return covers(other, f)
		}) || slices.ContainsFunc(all[:i], func(other found) bool {
			return other.condition == f.condition && locate.Compare(other.location, f.location) == 0
		})
		if !covered {
			fields = append(fields, f)
		}
	}
	slices.SortFunc(fields, func(a, b found) int {
		return strings.Compare(a.location.Pointer(), b.location.Pointer())
	})
	return fields
}

// covers tells whether other stands for f: it contains f under the same
// condition, or leaves the whole to the cluster.
func covers(other, f found) bool {
	if !other.location.Contains(f.location) {
		return false
	}
	same := len(other.location) == len(f.location)
	return !same && (other.condition == f.condition || other.condition == onSpokePresent) ||
		same && other.condition == onSpokePresent && f.condition == onSpokeChange
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
