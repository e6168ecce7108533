package ignorefields

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// record takes locations from the object's annotation, where an earlier run
// recorded them, and strips those that are left to the cluster.
func (r *resolution) record(o *object.Object, rule rule) {
	text, ok := annotation(o.Original(), recordAnnotation)
	if !ok {
		return
	}
	by := &source{path: rule.path, rulePath: rule.path, rule: rule.index}
	records, err := parseRecord(text)
	if err != nil {
		r.fail(failure{source: by, err: err}, rule.number)
		return
	}
	if rule.number >= 0 {
		r.matched = append(r.matched, rule.number)
	}
	var strip []locate.Location
	in := &locate.Input{Root: o.Original()}
	for _, entry := range records {
		f := failure{condition: entry.Condition, source: &source{
			path: rule.path, rule: rule.index, dialect: locate.JSONPointer, expression: entry.Pointer,
		}}
		locations, err := entry.locate(in)
		if err != nil {
			f.err = err
			r.failures = append(r.failures, f)
			continue
		}
		for _, l := range r.allowed(locations, f) {
			r.found = append(r.found, found{location: l, condition: entry.Condition, by: by})
			if now, ok := o.Now(l); ok && entry.Condition == onSpokePresent {
				strip = append(strip, now)
			}
		}
	}
	o.Remove(strip)
}

// recordError is an annotation fn.kpt.dev/ignored-fields that can't be read.
type recordError struct {
	reason string
}

func (e *recordError) Error() string {
	return "the annotation " + recordAnnotation + ` must be a JSON list such as ` +
		`[{"condition":"OnSpokePresent","pointer":"/spec/replicas"}]: ` + e.reason
}

func parseRecord(text string) ([]recorded, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	var records []recorded
	if err := decoder.Decode(&records); err != nil {
		return nil, &recordError{reason: err.Error()}
	}
	if err := checkRecordKeys(text); err != nil {
		return nil, err
	}
	for _, entry := range records {
		if entry.Condition != onSpokePresent && entry.Condition != onSpokeChange {
			return nil, &recordError{reason: "condition must be OnSpokePresent or OnSpokeChange, found '" + entry.Condition + "'"}
		}
	}
	return records, nil
}

// checkRecordKeys refuses what json.Decoder takes: a key twice, one in another case, and text behind the list.
func checkRecordKeys(text string) error {
	list, err := tree.ParseJSON([]byte(text))
	if err != nil {
		return &recordError{reason: err.Error()}
	}
	for _, entry := range tree.Elements(list) {
		for key := range tree.Entries(entry) {
			if key != "condition" && key != "pointer" {
				return &recordError{reason: fmt.Sprintf("its fields are condition and pointer, found %q", key)}
			}
		}
	}
	return nil
}

func (e recorded) locate(in *locate.Input) ([]locate.Location, error) {
	pointer, err := locate.ParseJSONPointer(e.Pointer)
	if err != nil {
		return nil, &recordError{reason: err.Error()}
	}
	found, err := pointer.Locate(in)
	return found.Locations, err
}
