package suggest

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FromOwners writes the rules that are equal to a rule with fromOwners in a package. The error is a
// *VerificationError.
func FromOwners(objects []*object.Object, options Options) (Outcome, error) {
	trace, results := runFromOwners(objects, nil)
	outcome := Outcome{Compared: len(objects)}
	for _, r := range results {
		if r.Tags["reason"] != report.ReasonFieldsIgnored && r.Ref.Kind != ignorefields.Kind {
			r.Message = strings.TrimPrefix(r.Message, "ignoreFields[0]: ") // the user did not write that rule
			outcome.Results = append(outcome.Results, r)
		}
	}
	var pairs []*pairOfObjects
	expected := make([][]location.Location, len(objects))
	for i, o := range objects {
		identity := selector.Of(o.Root())
		p := &pairOfObjects{desired: o.Root(), ref: identity.Ref(), file: o.File(), mask: redact.New(o.Root())}
		for _, f := range trace.Objects[i].Found {
			p.differences = append(p.differences, difference{place: placeOf(f.Location), owner: f.Owner})
			expected[i] = append(expected[i], f.Location)
		}
		p.combineElements()
		pairs = append(pairs, p)
	}
	rules := group(pairs, objects)
	if len(rules) == 0 {
		return outcome, nil
	}
	outcome.Config = write(options.Name, rules, false, outcome.Results)
	return outcome, verify(outcome.Config, objects, nil, expected)
}

// runFromOwners runs a rule with fromOwners on copies of the objects.
func runFromOwners(objects, live []*object.Object) (*ignorefields.Trace, []report.Result) {
	config := tree.FromValue(map[string]any{
		"apiVersion": "fn.kpt.dev/v1alpha1", "kind": ignorefields.Kind,
		"metadata": map[string]any{"name": "owners"}, "ignoreFields": []any{map[string]any{"fromOwners": true}},
	})
	items := copies(slices.Concat(objects, live))
	for _, o := range items[len(objects):] {
		o.IsLive = true
	}
	trace := &ignorefields.Trace{}
	_, results := ignorefields.Options{Trace: trace, Purpose: ignorefields.Verification}.Run(config, items)
	return trace, results
}

// copies copies objects without the rules in their annotations.
func copies(objects []*object.Object) []*object.Object {
	return words.Of(objects, func(o *object.Object) *object.Object {
		if o = o.Copy(); o.Mentions(ignorefields.RulesAnnotation) {
			o.Remove([]location.Location{annotationsAt.With(location.Key(ignorefields.RulesAnnotation))})
		}
		return o
	})
}

// placeOf is the place at a location of an object that is compared with no other.
func placeOf(l location.Location) (p place) {
	for _, step := range l {
		if step.IsIndex {
			p = p.element(step.Index, step.Index, nil)
		} else {
			p = p.member(step.Key)
		}
	}
	return p
}

// ownersIn returns the owners of the fields of objects of the package by the pointers of the
// fields, if objects of the package or of the cluster show them.
func ownersIn(desired, live []*object.Object) map[*object.Object]map[string]string {
	trace, _ := runFromOwners(desired, live)
	owners := map[*object.Object]map[string]string{}
	for i, o := range desired {
		if i >= len(trace.Objects) || trace.Objects[i] == nil {
			continue
		}
		owners[o] = map[string]string{}
		for _, f := range trace.Objects[i].Found {
			owners[o][f.Location.Pointer()] = f.Owner
		}
	}
	return owners
}
