package suggest

import (
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FromOwners writes the rules that are equal to a rule with fromOwners in a package. The error is a
// *VerificationError.
func FromOwners(objects []*object.Object, options Options) (Suggestions, error) {
	trace, results := runFromOwners(objects, nil)
	outcome := Suggestions{Compared: len(objects)}
	for _, r := range results {
		if r.Tags["reason"] != report.ReasonFieldsIgnored && r.Ref.Kind != ignorefields.Kind {
			r.Message = strings.TrimPrefix(r.Message, "ignoreFields[0]: ") // the user did not write that rule
			outcome.Results = append(outcome.Results, r)
		}
	}
	owners := ownersOf(objects, trace)
	pairs := lists.Map(objects, func(o *object.Object) *pairOfObjects { return unpaired(o, owners[o]) })
	rules := group(pairs, objects)
	if len(rules) == 0 {
		return outcome, nil
	}
	outcome.Config = write(options.Name, rules, false, outcome.Results)
	return outcome, verifyPairs(outcome.Config, pairs, nil)
}

// runFromOwners runs a rule with fromOwners on copies of the objects.
func runFromOwners(objects, live []*object.Object) (*ignorefields.Trace, []report.Result) {
	config := functionConfig(ignorefields.Kind, "owners", "ignoreFields", tree.FromValue([]any{map[string]any{"fromOwners": true}}))
	trace := &ignorefields.Trace{}
	_, results := ignorefields.Options{Trace: trace, Purpose: ignorefields.Verification}.Run(config, copies(objects, live), nil)
	return trace, results
}

// copies copies objects and live ones without the rules in their annotations.
func copies(objects, live []*object.Object) []*object.Object {
	all := lists.Map(slices.Concat(objects, live), func(o *object.Object) *object.Object {
		if o = o.Copy(); o.Mentions(ignorefields.RulesAnnotation) {
			o.Remove([]location.Location{world.Annotations.With(location.Key(ignorefields.RulesAnnotation))})
		}
		return o
	})
	for _, o := range all[len(objects):] {
		o.IsLive = true
	}
	return all
}

// owned are the fields of an object that others own, by their pointers.
type owned map[string]ignorefields.TracedField

// inOrder are the fields in the order of the object.
func (fields owned) inOrder() []ignorefields.TracedField {
	return slices.SortedFunc(maps.Values(fields), func(a, b ignorefields.TracedField) int { return location.Compare(a.Location, b.Location) })
}

// ownersOf are the fields that a run with fromOwners has found.
func ownersOf(objects []*object.Object, trace *ignorefields.Trace) map[*object.Object]owned {
	owners := map[*object.Object]owned{}
	for i, o := range objects {
		if i >= len(trace.Objects) || trace.Objects[i] == nil {
			continue
		}
		owners[o] = owned{}
		for _, f := range trace.Objects[i].Found {
			owners[o][f.Location.Pointer()] = f
		}
	}
	return owners
}
