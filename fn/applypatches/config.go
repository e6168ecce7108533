// Package applypatches is the kind ApplyPatches: patches like those of RFC 6902, whose paths have
// filters and whose strings are CEL templates, on the objects that targets select.
package applypatches

import (
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Kind is the kind of the functionConfig.
const Kind = "ApplyPatches"

// missingIgnore is the value of onMissing that skips what is missing.
const missingIgnore = "Ignore"

// defaultVariable is the name of the loop variable.
const defaultVariable = "item"

// Config is the functionConfig of the kind ApplyPatches.
type Config struct {
	config.Header
	Parameters any       `json:"parameters" doc:"Any data; expressions see it as the variable parameters."`
	Patches    []Patch   `json:"patches" doc:"The patches, in order. Each sees the changes of the ones before it."`
	Removes    []Removal `json:"removes" doc:"Objects to remove from the list, after all patches."`
}

// Patch is a list of operations on some objects, or one operation on them.
type Patch struct {
	Target     *Target     `json:"target" doc:"Which objects. Default: all."`
	ForEach    *string     `json:"forEach" doc:"A CEL expression in ${…} that yields a list or a map. The operations run once for each element; the elements of a map are maps {key, value}, sorted by key. It sees parameters and, by object(…), the objects of the list as they came in."`
	Var        *string     `json:"var" doc:"The name under which expressions see the element of forEach. Default: item."`
	Operations []Operation `json:"operations" doc:"The operations on each object, in order; at least one, unless the patch is an operation itself, which has op and path."`
	Op         *OpName     `json:"op" doc:"What to do, instead of operations."`
	Path       *string     `json:"path" doc:"The location, for op."`
	Input
}

// Target is a selector with a condition. At least one of its fields must be there.
type Target struct {
	selector.Selector
	Where *string `json:"where" doc:"A CEL expression, with or without ${…}, that must be true for the object. It sees resource, parameters and the element of forEach. It counts as false if a field of resource is missing."`
}

// Operation is one operation of a patch.
type Operation struct {
	Op   OpName  `json:"op" required:"true" doc:"What to do."`
	Path *string `json:"path" required:"true" doc:"The location: RFC 6901 segments, and filters [?(@.name=='web')], [*], [0] and /- or [-] on lists. It may contain CEL expressions in ${…}."`
	Input
}

// Input is what an operation has besides its op and its path.
type Input struct {
	Within    *tree.Node `json:"within" doc:"A path to a string that holds a document, such as the application.yaml of a ConfigMap: the path is then inside each document in it. A list of paths names documents inside documents, the outermost string first."`
	Value     *tree.Node `json:"value" doc:"The value, unless the op needs none. Any string in it may contain CEL expressions in ${…}, which also see current, the value that is replaced or merged into."`
	Key       *tree.Node `json:"key" doc:"For an op that needs it: the key, or a list of keys, that identifies an element of the list."`
	Replace   bool       `json:"replace" default:"false" doc:"For an op with a key: the value replaces the element that has the key, instead of being merged into it."`
	OnMissing string     `json:"onMissing" enum:"Error,Ignore" default:"Error" doc:"Ignore skips the operation if something that it needs is missing, such as an element that a filter selects or the value that replace replaces. An operation that finds nothing in the whole run is a warning."`
}

// Removal selects objects to remove from the list.
type Removal struct {
	Target  Target  `json:"target" required:"true" doc:"Which objects."`
	ForEach *string `json:"forEach" doc:"As in patches: an object is removed if the target selects it for at least one element."`
	Var     *string `json:"var" doc:"The name under which where sees the element of forEach. Default: item."`
}
