package selector

import (
	"fmt"
	"strings"
)

// Refusal says why an object is not selected.
type Refusal struct {
	// Path is the path of the deciding entry: `selectors[0]`, `exclude[1]`; of several selectors
	// that of the nearest one.
	Path string
	// Wants is the condition that the object fails, or, for an exclude entry, the one that it
	// meets.
	Wants string
	// Has is the object's value; "" for an exclude entry.
	Has string
	// Reason says that in a sentence.
	Reason string
}

// Refusal says why Selects is false for the object; false if it is true.
func (s *Selection) Refusal(o *Candidate) (Refusal, bool) {
	if s.Selects(o) {
		return Refusal{}, false
	}
	if r, ok := s.Misfit(o); ok {
		return r, true
	}
	return Refusal{
		Wants:  "a selector with kind: " + o.Kind,
		Reason: fmt.Sprintf("an object of kind %s is skipped unless a selector has kind: %s", o.Kind, o.Kind),
	}, true
}

// Misfit says why Fits is false for the object; false if it is true.
func (s *Selection) Misfit(o *Candidate) (Refusal, bool) {
	for _, e := range s.exclude {
		if e.holds(o) {
			return Refusal{Path: e.path, Wants: e.String(), Reason: e.path + " excludes " + e.String()}, true
		}
	}
	var nearest *entry
	for i, e := range s.selectors {
		if e.holds(o) {
			return Refusal{}, false
		}
		if nearest == nil || e.distance(o) < nearest.distance(o) {
			nearest = &s.selectors[i]
		}
	}
	if nearest == nil {
		return Refusal{}, false
	}
	var wants, has []string
	for _, c := range nearest.conditions {
		if !c.holds(o) {
			wants, has = append(wants, c.String()), append(has, c.has(o))
		}
	}
	r := Refusal{Path: nearest.path, Wants: strings.Join(wants, ", "), Has: sentence(has)}
	r.Reason = fmt.Sprintf("%s requires %s, but the object has %s", r.Path, r.Wants, r.Has)
	return r, true
}
