package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Warnings returns what the plan could not know.
func (m *Maker) Warnings(in Input) []report.Result {
	var results []report.Result
	warn := func(ref report.Ref, message string) {
		results = append(results, report.Result{
			Message: message, Severity: report.SeverityWarning, Ref: ref, Tags: map[string]string{"reason": report.ReasonPlanAssumption},
		})
	}
	assumed := map[schema.GVK]bool{}
	hasLive, hasManagers := false, false
	for _, pair := range in.Pairs {
		if pair.Live == nil {
			continue
		}
		ref := report.RefOf(tree.FromValue(pair.Live))
		if fields := deletedOnClientSide(pair); len(fields) > 0 {
			warn(ref, fmt.Sprintf("the object is under client-side apply, which would delete %s: the plan is that of kubectl apply --server-side",
				strings.Join(fields, ", ")))
		}
		metadata, _ := pair.Live["metadata"].(map[string]any)
		hasLive, hasManagers = true, hasManagers || metadata["managedFields"] != nil
		gvk := schema.ParseGVK(ref.APIVersion, ref.Kind)
		if !assumed[gvk] && in.Schemas.Kind(gvk).Origin == schema.Assumed {
			assumed[gvk] = true
			warn(ref, fmt.Sprintf("there is no schema of the kind %s of %s, so its lists count as atomic; give its "+
				"CustomResourceDefinition by --crds", ref.Kind, ref.APIVersion))
		}
	}
	if hasLive && !hasManagers {
		warn(report.Ref{}, "no live object has metadata.managedFields, so all fields count as owned by nobody; "+
			"read them by kubectl get -o yaml --show-managed-fields")
	}
	return results
}

// lastApplied is the annotation in which a client-side apply keeps what it has applied.
var lastApplied = location.Location{
	location.Key("metadata"), location.Key("annotations"), location.Key("kubectl.kubernetes.io/last-applied-configuration"),
}

// deletedOnClientSide returns the fields that rules strip and that the last client-side apply has
// set: the next one deletes them, whoever owns them.
func deletedOnClientSide(pair Pair) []string {
	live := tree.FromValue(pair.Live)
	isOf := func(e managedfields.Entry) bool { return e.Manager == managedfields.ClientSideApply }
	annotation := location.At(live, lastApplied)
	if pair.Applied == nil || annotation == nil || !slices.ContainsFunc(managedfields.Of(live), isOf) {
		return nil
	}
	before, err := tree.ParseJSON([]byte(annotation.Text()))
	if err != nil {
		return nil // kubectl apply refuses such an annotation
	}
	var fields []string
	applied := tree.FromValue(pair.Applied)
	for _, traced := range pair.Traced {
		if traced == nil {
			continue
		}
		for _, f := range traced.Found {
			if location.At(before, f.Location) != nil && location.At(applied, f.Location) == nil {
				fields = append(fields, f.Location.String())
			}
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}
