//go:build !nopatches

package fn

import (
	"reflect"

	"github.com/krm-fields/krm-fields/fn/applypatches"
)

// patches is the kind ApplyPatches, which a program can be built without for its size: CEL is two
// fifths of one that runs in a browser.
var patches = []Kind{{
	Name: applypatches.Kind, Config: reflect.TypeFor[applypatches.Config](),
	Doc: "edits fields: JSON Patch with path filters, CEL conditions and values, and iteration",
	Run: applypatches.Run,
}}
