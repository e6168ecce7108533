package suggest

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// verify runs the functionConfig on copies of the objects, with the live ones if it needs them: in
// each it must find the expected fields and no others.
func verify(config *tree.Node, objects, live []*object.Object, expected [][]location.Location) error {
	if len(objects) == 0 {
		return nil
	}
	trace := &ignorefields.Trace{FoundOnly: true}
	_, results := ignorefields.Options{Trace: trace, Purpose: ignorefields.Verification}.Run(config, copies(objects, live), nil)
	if err := firstError(results); err != nil {
		return err
	}
	isSame := func(a, b location.Location) bool { return location.Compare(a, b) == 0 }
	for i, o := range objects {
		isSecret := o.Ref().Kind == "Secret"
		stored := func(l location.Location) location.Location { // a rule for data is one for the texts, too
			if isSecret && len(l) > 0 && l[0].Key == "stringData" {
				l = append(location.Location{location.Key("data")}, l[1:]...)
			}
			return l
		}
		var found []location.Location
		if traced := trace.Objects[i]; traced != nil {
			found = lists.Map(traced.Found, func(f ignorefields.TracedField) location.Location {
				return rules.Found{Location: f.Location, Inside: f.Inside}.Full()
			})
		}
		if !slices.EqualFunc(location.Outermost(lists.Map(found, stored)), location.Outermost(lists.Map(expected[i], stored)), isSame) {
			return &VerificationError{Reason: fmt.Sprintf("the rules do not find the fields of %s that they are for, and only those", report.RefOf(o.Root()))}
		}
	}
	return nil
}

// verifyPairs expects the fields that differ.
func verifyPairs(config *tree.Node, pairs []*pairOfObjects, live []*object.Object) error {
	objects, expected := make([]*object.Object, len(pairs)), make([][]location.Location, len(pairs))
	for i, p := range pairs {
		objects[i] = p.object
		for _, d := range p.differences {
			if d.here == nil {
				continue // found in the live object alone
			}
			field := rules.Found{Location: d.place.here}
			if d.within != nil {
				field = rules.Found{Location: d.within.here, Inside: []embedded.InnerLocation{{Document: d.document, Location: d.place.here}}}
			}
			expected[i] = append(expected[i], field.Full())
		}
	}
	return verify(config, objects, live, expected)
}

// verified returns the suggestions that pass their verification; the results tell of the
// expressions that do not, which are left out.
func verified(all []*suggestion, pairs []*pairOfObjects, live []*object.Object, options Options, takesLive bool) ([]*suggestion, []report.Result) {
	passes := func(rules []*suggestion, of []*pairOfObjects) error {
		return verifyPairs(write(options.Name, rules, takesLive, nil), of, live)
	}
	if len(all) == 0 || passes(all, pairs) == nil {
		return all, nil
	}
	var kept []*suggestion
	var left []report.Result
	for _, rule := range all {
		passing := *rule
		passing.fields = map[string][]namedField{}
		for _, d := range expr.Dialects {
			for _, f := range rule.fields[d.Name] {
				alone := *rule
				alone.fields = map[string][]namedField{d.Name: {f}}
				err := passes([]*suggestion{&alone}, onlyWith(f, expressionOf{d.Name, f.expression}, rule.within))
				if err == nil {
					passing.fields[d.Name] = append(passing.fields[d.Name], f)
					continue
				}
				left = append(left, report.New(report.SeverityWarning, report.ReasonNoRule,
					fmt.Sprintf("no rule for '%s': %s", f.expression, err)).Of(f.found[0].pair.ref, f.found[0].pair.file))
			}
		}
		if len(passing.fields) > 0 {
			kept = append(kept, &passing)
		}
	}
	return kept, left
}

// onlyWith returns the pairs of a field with the differences alone that an expression is for.
func onlyWith(f namedField, by, within expressionOf) []*pairOfObjects {
	return lists.Map(f.found, func(in found) *pairOfObjects {
		only := *in.pair
		only.differences = slices.DeleteFunc(slices.Clone(only.differences), func(d difference) bool {
			in := expressionOf{}
			if d.within != nil {
				in = d.within.expression()
			}
			return d.expression() != by || in != within
		})
		return &only
	})
}

// firstError is the first error among results, as one of the verification.
func firstError(results []report.Result) error {
	if r, ok := lists.Find(results, func(r report.Result) bool { return r.Severity == report.SeverityError }); ok {
		return &VerificationError{Reason: r.Message}
	}
	return nil
}
