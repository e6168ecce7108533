package selector

import (
	"fmt"
	"strings"
)

// Refusal says why an object is not chosen.
type Refusal struct {
	// Path is the entry that decides: `selectors[0]`, `exclude[1]`; of several
	// selectors the nearest one.
	Path string
	// Wants is what the entry asks for and the object has not, or, of an exclude
	// entry, what it asks for and the object has.
	Wants string
	// Has is what the object has in place of it; "" for an exclude entry.
	Has string
	// Reason is all that as a sentence.
	Reason string
}

// Refusal tells why Selects does not hold for the object; false where it does.
func (s *Selection) Refusal(o *Candidate) (Refusal, bool) {
	if s.Selects(o) {
		return Refusal{}, false
	}
	if r, ok := s.Misfit(o); ok {
		return r, true
	}
	return Refusal{
		Wants:  "a selector with kind: " + o.Kind,
		Reason: fmt.Sprintf("an object of kind %s is left alone, unless a selector says kind: %s", o.Kind, o.Kind),
	}, true
}

// Misfit tells why Fits does not hold for the object; false where it does.
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
	r.Reason = fmt.Sprintf("%s wants %s, and the object has %s", r.Path, r.Wants, r.Has)
	return r, true
}
