package applyoperations

// The operations. The aliases are the names of the proposal
// "Manipulating Kubernetes objects via an opinionated CRUD framework".
const (
	opCreate             = "Create"
	opCreateIfNotExists  = "CreateIfNotExists"
	opCreateOrUpdate     = "CreateOrUpdate"
	opDelete             = "Delete"
	opDeleteInBackground = "DeleteInBackground"
	opDeleteNonCascading = "DeleteNonCascading"
	opJQPatch            = "JQPatch"
	opJQPatchLocked      = "FilterPatchOptimistic"
	opMergePatch         = "MergePatch"
	opJSONPatch          = "JSONPatch"
)

var aliases = map[string]string{
	"EnsureDeleted":          opDelete,
	"EnsureDeleteBackground": opDeleteInBackground,
	"EnsureDeleteOrphan":     opDeleteNonCascading,
	"FilterPatch":            opJQPatch,
}

// The fields that carry what an operation needs beyond the object's name.
const (
	fieldObject     = "object"
	fieldJQFilter   = "jqFilter"
	fieldMergePatch = "mergePatch"
	fieldJSONPatch  = "jsonPatch"
	fieldSpec       = "spec"
)

// payloadFields says which field an operation takes; a deletion takes none.
var payloadFields = map[string]string{
	opCreate:            fieldObject,
	opCreateIfNotExists: fieldObject,
	opCreateOrUpdate:    fieldObject,
	opJQPatch:           fieldJQFilter,
	opJQPatchLocked:     fieldJQFilter,
	opMergePatch:        fieldMergePatch,
	opJSONPatch:         fieldJSONPatch,
}
