package rules

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Owned is a field that other objects of the list say that somebody owns.
type Owned struct {
	Location location.Location // in the object as it came in
	Owners   []string          // HorizontalPodAutoscaler default/web
}

// ownedFields takes the fields that rules with fromOwners name in the object. It comes last, so
// that an expression that names the same field finds it first.
func (r *Resolution) ownedFields(o *object.Object, rules []Rule) {
	var strip []location.Location
	for _, rule := range rules {
		for _, owned := range rule.Owned {
			now, ok := o.EditedLocation(owned.Location)
			if !ok {
				continue // found by another rule
			}
			by := &Source{Path: rule.Path, RulePath: rule.Path, IsOwn: rule.IsOwn, Rule: rule.Index, Owner: strings.Join(owned.Owners, " and ")}
			r.Found = append(r.Found, Found{Location: owned.Location, Condition: rule.Condition, By: by})
			if rule.Condition == OnSpokePresent {
				strip = append(strip, now)
			}
		}
	}
	o.Remove(strip)
}
