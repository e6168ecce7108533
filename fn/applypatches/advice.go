package applypatches

import (
	"strconv"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// directive is the key by which a strategic merge patch of kustomize deletes or replaces.
const directive = "$patch"

// advice warns of values that hold a directive of a strategic merge patch, which is an ordinary key
// here.
func advice(c Config, functionConfig *tree.Node) []report.Result {
	var results []report.Result
	for i, p := range c.Patches {
		for j, o := range p.Operations {
			if tree.Get(o.Value, directive) == nil {
				continue
			}
			at := "patches[" + strconv.Itoa(i) + "].operations[" + strconv.Itoa(j) + "].value." + directive
			results = append(results, report.New(report.SeverityWarning, report.ReasonLikelyMistake, at+": "+directive+
				" is a directive of strategic merge patches, and an ordinary key here; to delete a list element or a field, write op: remove",
			).Of(report.RefOf(functionConfig), report.FileOf(functionConfig)).At(at))
		}
	}
	return results
}
