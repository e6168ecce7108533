//go:build !nopatches

package fn

import (
	"reflect"

	"github.com/krm-fields/krm-fields/fn/applypatches"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// patches is the kind ApplyPatches, which a program can be built without for its size: CEL is two
// fifths of one that runs in a browser.
var patches = []Kind{{
	Name: applypatches.Kind, Config: reflect.TypeFor[applypatches.Config](),
	Doc: "edits fields: JSON Patch with path filters, CEL conditions and values, and iteration",
	Run: func(o Options, functionConfig *tree.Node, items []*object.Object) ([]*object.Object, []report.Result) {
		return applypatches.Run(functionConfig, items, o.Mask)
	},
}}
