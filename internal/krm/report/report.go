// Package report holds the outcomes of a run as KRM results
// (https://github.com/kubernetes-sigs/kustomize/blob/master/cmd/config/docs/api-conventions/functions-spec.md).
// It knows no kind of functionConfig.
package report

import (
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/printable"
)

// Severities of a result.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
	SeverityInfo    = "info"
)

// Colours are those of the severities on a terminal.
var Colours = map[string]printable.Colour{
	SeverityError: printable.Red, SeverityWarning: printable.Yellow, SeverityInfo: printable.Cyan,
}

// Reasons, the tag `reason` of a result.
const (
	ReasonInvalidFunctionConfig = "InvalidFunctionConfig"
	ReasonSSAIgnoreFieldError   = "AppliedManifestSSAIgnoreFieldError"
	ReasonFieldsIgnored         = "FieldsIgnored"
	ReasonFieldsAnnotated       = "FieldsAnnotated"
	ReasonFieldsTaken           = "FieldsTaken"
	ReasonFieldsKept            = "FieldsKept"
	ReasonServerWarning         = "ServerWarning"
	ReasonDuplicate             = "Duplicate"
	ReasonBeingDeleted          = "BeingDeleted"
	ReasonKindMissing           = "KindMissing"
	ReasonNamespaceMissing      = "NamespaceMissing"
	ReasonTakeLiveError         = "TakeLiveError"
	ReasonNoMatch               = "NoMatch"
	ReasonReformatted           = "Reformatted"
	ReasonNotThere              = "NotThere"
	ReasonDottedKey             = "DottedKey"
	ReasonCreate                = "Create"
	ReasonUpdate                = "Update"
	ReasonUnchanged             = "Unchanged"
	ReasonAmbiguousLive         = "AmbiguousLive"
	ReasonAgentDiffers          = "AgentDiffers"
	ReasonLiveKindMissing       = "LiveKindMissing"
	ReasonSoleFieldManager      = "SoleFieldManager"
	ReasonAtomicParent          = "AtomicParent"
	ReasonRequiredField         = "RequiredField"
	ReasonPatched               = "Patched"
	ReasonRemoved               = "Removed"
	ReasonCreated               = "Created"
	ReasonUpdated               = "Updated"
	ReasonDeleted               = "Deleted"
	ReasonPatchError            = "PatchError"
	ReasonOperationError        = "OperationError"
	ReasonOperationConflict     = "OperationConflict"
	ReasonApplyError            = "ApplyError"
	ReasonExpressionCost        = "ExpressionCost"
	ReasonLikelyMistake         = "LikelyMistake"
	ReasonEncrypted             = "Encrypted"
	ReasonNotAnnotated          = "NotAnnotated"
	ReasonNoLiveObjects         = "NoLiveObjects"
	ReasonFromOwners            = "FromOwners"
	ReasonObjectHash            = "ObjectHash"
	ReasonInvalidInput          = "InvalidInput"
	ReasonRunError              = "RunError"
	ReasonSkipped               = "Skipped"
	ReasonNotApplied            = "NotApplied"
	ReasonNoRule                = "NoRule"
	ReasonNotLive               = "NotLive"
	ReasonFailedApply           = "FailedApply"
	ReasonNotConverted          = "NotConverted"
	ReasonPlanAssumption        = "PlanAssumption"
	ReasonNoManagedFields       = "NoManagedFields"
)

// Ref names the object that a result is about.
type Ref struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
}

// IsZero tells whether no part is known.
func (r Ref) IsZero() bool { return r == Ref{} }

// String returns the object as messages name it: `Deployment default/web`.
func (r Ref) String() string {
	name := r.Name
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return strings.TrimSpace(r.Kind + " " + name)
}

// File names the file that an object came from. Index is its position in the file, from 0; HasIndex
// tells whether that is known.
type File struct {
	Path     string
	Index    int
	HasIndex bool
}

// String returns the file as messages name it: `web.yaml[1]`.
func (f File) String() string {
	if !f.HasIndex || f.Index == 0 {
		return f.Path
	}
	return f.Path + "[" + strconv.Itoa(f.Index) + "]"
}

// Field is the field that a result is about. Current is the field's value as tree.Value returns it;
// it is left out if HasCurrent is false.
type Field struct {
	Path       string
	Current    any
	HasCurrent bool
}

// Result is one outcome.
type Result struct {
	Message  string
	Severity string
	Ref      Ref
	File     File
	Field    Field
	Tags     map[string]string
	// Detail is further lines for a terminal, such as an expression with a caret below its fault.
	// It is no part of the KRM result.
	Detail string
	// IsSummary is true for a summary of the run for the person who typed the command. It is no
	// part of a ResourceList.
	IsSummary bool
	// Folded are the results that a sum stands for, unless only their number is kept.
	Folded []Result
}

// Fault is one fault of a functionConfig: where (the field's path, e.g.
// `ignoreFields[0].jqPathExpressions[1]`) and what.
type Fault struct {
	Path    string
	Message string
	// Tags beyond `reason`: selector, expression, rule.
	Tags map[string]string
	// Detail is the result's.
	Detail string
	// IsMissing is true if something must be in the place and is not. A fault inside the place
	// explains it.
	IsMissing bool
}
