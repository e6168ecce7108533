package ignorefields

import (
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Decode decodes a functionConfig of the kind IgnoreFields, or the data of a ConfigMap, with its
// defaults, and checks it: its faults are those that a run reports before it edits an object.
func Decode(functionConfig *tree.Node) (Config, []report.Fault) {
	c, at, faults := decode(functionConfig)
	_, moreFaults := compile(c, at, rules.Compiler{})
	return c, append(faults, moreFaults...)
}
