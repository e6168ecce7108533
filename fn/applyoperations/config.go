// Package applyoperations is the kind ApplyOperations: it creates, updates, deletes and patches
// whole objects; the store is the items of the list.
package applyoperations

import (
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Kind is the kind of the functionConfig.
const Kind = "ApplyOperations"

const apiVersion = "fn.kpt.dev/v1alpha1"

// Config is the functionConfig of the kind ApplyOperations.
type Config struct {
	config.Header
	Operations     []Operation `json:"operations" doc:"The operations, in order. Each sees the changes of the ones before it."`
	OperationsJSON *string     `json:"operationsJSON" doc:"More operations, after the others: a stream of JSON or YAML documents, as hooks of shell-operator write it."`
	JQ             JQ          `json:"jq" doc:"Limits of jq, for each filter on each object."`
}

// Operation is one operation on one object. Which fields it takes depends on the operation.
type Operation struct {
	Operation           *OperationName `json:"operation" doc:"What to do."`
	OperationType       *OperationType `json:"operationType" doc:"Alias of operation."`
	APIVersion          string         `json:"apiVersion" doc:"apiVersion of the object, exactly; without it, any."`
	Kind                string         `json:"kind" doc:"Kind of the object."`
	Namespace           string         `json:"namespace" doc:"Namespace of the object, exactly; none for an object without one."`
	Name                string         `json:"name" doc:"Name of the object."`
	Object              *tree.Node     `json:"object" doc:"The object to create or update, as a structure or as a string of JSON or YAML."`
	JQFilter            *tree.Node     `json:"jqFilter" doc:"A jq filter that turns the object into the new object."`
	MergePatch          *tree.Node     `json:"mergePatch" doc:"An RFC 7386 JSON Merge Patch, as a structure or as a string of JSON or YAML."`
	JSONPatch           *tree.Node     `json:"jsonPatch" doc:"An RFC 6902 JSON Patch, as a structure or as a string of JSON or YAML."`
	Spec                *tree.Node     `json:"spec" doc:"Alias of jqFilter, mergePatch, jsonPatch or object, whichever the operation needs."`
	Subresource         string         `json:"subresource" doc:"status or /status: a patch changes only the status. Without it, a patch leaves the status as it is."`
	StatusPatch         bool           `json:"statusPatch" default:"false" doc:"true is the same as subresource: status."`
	IgnoreMissingObject bool           `json:"ignoreMissingObject" default:"false" doc:"Whether a patch is skipped, and is no error, if its object does not exist."`
	ResourceVersion     string         `json:"resourceVersion" doc:"The operation fails with a conflict unless this is the object's metadata.resourceVersion."`
	IgnoreHookError     bool           `json:"ignoreHookError" default:"false" doc:"Accepted for the hooks of shell-operator; it has no meaning here."`
}

// JQ has the limits of jq.
type JQ struct {
	Timeout     config.Duration `json:"timeout" default:"1s" doc:"How long one filter may take on one object."`
	MemoryLimit config.Memory   `json:"memoryLimit" default:"256Mi" doc:"How much memory the evaluation may add to that of the process."`
}
