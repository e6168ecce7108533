package manifestwork

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/owners"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// reportOwned reports the fields of the manifests that have owners among the other manifests of the
// work, and that no rule of the work leaves to them.
func (t *trial) reportOwned() {
	index, schemas := owners.Empty(), schema.Schemas{}
	for _, m := range t.manifests {
		index.Add(m.root, "", t.file, false)
		if definition, ok := tree.Value(m.root).(map[string]any); ok && schema.IsCRD(schema.ParseGVK(m.APIVersion, m.Kind)) {
			_ = schemas.AddCRD(definition) // the API server refuses an invalid one, and other tools say why
		}
	}
	for _, m := range t.manifests {
		kind := schemas.Kind(schema.ParseGVK(m.APIVersion, m.Kind))
		for _, c := range index.Of(m.Candidate, "", "") {
			for _, f := range owners.WithoutAtomic(c.Locate(m.root, kind), kind) {
				t.reportOwnedField(m, f)
			}
		}
	}
}

func (t *trial) reportOwnedField(m workManifest, f owners.Field) {
	isLeft := func(found rules.Found) bool { return found.Location.Contains(f.Location) }
	if f.Left != "" || slices.ContainsFunc(t.found[m.ordinal], isLeft) {
		return
	}
	at := append(m.at[:len(m.at):len(m.at)], f.Location...)
	message := fmt.Sprintf("%s: %s is owned by %s, and no ignoreFields of the work cover it; "+
		"for %s, write the JSON Pointer '%s' in ignoreFields", m, f.Location, f.Claim.Name(), m.Candidate, f.Pointer)
	t.results = append(t.results, report.Result{
		Message: t.mask.Text(message), Severity: report.SeverityInfo, Ref: t.ref, File: t.file,
		Field: report.Field{Path: at.String()}, Tags: map[string]string{"reason": report.ReasonFromOwners, "owner": f.Claim.Name()},
	})
}
