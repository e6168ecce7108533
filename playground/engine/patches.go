package engine

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/fn"
)

// patchesKind is the kind that an engine may be built without: CEL, which it needs, is large.
const patchesKind = "ApplyPatches"

// missingError says that a request needs another engine, which the page loads then.
type missingError struct{ what string }

func missing([]byte) (any, error) { return nil, &missingError{"this operation"} }

// part names the engine that has it.
func (*missingError) part() string { return "patches" }

func (e *missingError) Error() string {
	return fmt.Sprintf("the engine was built without %s", e.what)
}

// isMissing tells whether this engine was built without a kind of functionConfig.
func isMissing(kind string) bool {
	return kind == patchesKind && !slices.ContainsFunc(fn.Kinds(), func(k fn.Kind) bool { return k.Name == kind })
}
