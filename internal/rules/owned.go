package rules

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Owned is a field of which other objects of the list, or the managedFields of the live object, say
// that somebody owns it.
type Owned struct {
	Location location.Location // in the object as it came in
	Owners   []string          // HorizontalPodAutoscaler default/web, or kubelet (Update)
}

// ownedFields takes what the rules with fromOwners and managedFieldsManagers have in the object. It
// comes last, so that an expression that names the same field finds it, wherever it is.
func (r *Resolution) ownedFields(o *object.Object, rules []Rule) {
	var strip []location.Location
	for _, rule := range rules {
		if len(rule.Owned) > 0 && rule.Number >= 0 {
			r.Matched = append(r.Matched, rule.Number)
		}
		for _, owned := range rule.Owned {
			now, ok := o.EditedLocation(owned.Location)
			if !ok {
				continue // found by another rule
			}
			by := &Source{
				Path: rule.Path, RulePath: rule.Path, IsOwn: rule.IsOwn, Rule: rule.Index,
				Owner: strings.Join(owned.Owners, " and "), managers: rule.Managers,
			}
			r.Found = append(r.Found, Found{Location: owned.Location, Condition: rule.Condition, By: by})
			if rule.Condition == OnSpokePresent {
				strip = append(strip, now)
			}
		}
	}
	o.Remove(strip)
}
