// Package report holds the outcomes of a run as KRM results
// (https://github.com/kubernetes-sigs/kustomize/blob/master/cmd/config/docs/api-conventions/functions-spec.md).
// It knows no kind of functionConfig.
package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
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
	ReasonAmbiguousScalar       = "AmbiguousScalar"
	ReasonNotAnnotated          = "NotAnnotated"
	ReasonNoLiveObjects         = "NoLiveObjects"
	ReasonFromOwners            = "FromOwners"
	ReasonObjectHash            = "ObjectHash"
	ReasonInvalidInput          = "InvalidInput"
	ReasonRunError              = "RunError"
	ReasonSkipped               = "Skipped"
	ReasonNotApplied            = "NotApplied"
	ReasonNoRule                = "NoRule"
	ReasonTwoWriters            = "TwoWriters"
	ReasonNotLive               = "NotLive"
	ReasonFailedApply           = "FailedApply"
	ReasonNotConverted          = "NotConverted"
	ReasonPlanAssumption        = "PlanAssumption"
	ReasonNoManagedFields       = "NoManagedFields"
	ReasonInvalidManagedFields  = "InvalidManagedFields"
	ReasonConflict              = "Conflict"
	ReasonHandedOver            = "HandedOver"
	ReasonLeftover              = "Leftover"
	ReasonHandoverBlocked       = "HandoverBlocked"
	ReasonNotNeeded             = "NotNeeded"
	ReasonRefused               = "Refused"
	ReasonUnknown               = "Unknown"
	ReasonReordered             = "Reordered"
)

// Ref names the object that a result is about.
type Ref struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
}

// GroupVersion returns the group, "" for the core one, and the version of an apiVersion.
func GroupVersion(apiVersion string) (group, version string) {
	group, version, found := strings.Cut(apiVersion, "/")
	if !found {
		return "", apiVersion
	}
	return group, version
}

// Group is the group of the apiVersion, "" for the core one.
func (r Ref) Group() string {
	group, _ := GroupVersion(r.APIVersion)
	return group
}

// IsZero tells whether no part is known.
func (r Ref) IsZero() bool { return r == Ref{} }

// Slashed returns the object as command lines name it: `Deployment/default/web`; `Deployment` where
// it has no name.
func (r Ref) Slashed() string {
	if r.Name == "" {
		return r.Kind
	}
	parts := []string{r.Kind, r.Namespace, r.Name}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "/")
}

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
	// QuotesNothing is true if the message quotes nothing.
	QuotesNothing bool
	// NamedBy is the entry of the functionConfig that names the object, if the result is about an
	// edit of it.
	NamedBy string
	// Folded are the results that a sum stands for, unless only their number is kept.
	Folded []*Result
}

// Encrypted returns the result about an object that SOPS has encrypted: a warning if an entry of
// the functionConfig names it, else an info.
func Encrypted(entry string) Result {
	const message = "SOPS has encrypted the object, so it comes out as it is: any edit breaks its signature (sops.mac), " +
		"and it can't be decrypted any more"
	if entry == "" {
		return New(SeverityInfo, ReasonEncrypted, message)
	}
	return New(SeverityWarning, ReasonEncrypted, entry+": "+message+"; run krm-fields on what sops decrypts")
}

// InputFailed returns the error of a list that came with one among its results, at index i.
func InputFailed(i int, message string) Result {
	return New(SeverityError, ReasonInvalidInput, fmt.Sprintf("results[%d] of the input is an error, so the function did not run: %s", i, message))
}

// New returns a result that is about no object.
func New(severity, reason, message string) Result {
	return Result{Message: message, Severity: severity, Tags: map[string]string{"reason": reason}}
}

// Of returns the result as one about an object.
func (r Result) Of(ref Ref, file File) Result {
	r.Ref, r.File = ref, file
	return r
}

// At returns the result as one about the field at a path.
func (r Result) At(path string) Result {
	r.Field.Path = path
	return r
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
	// QuotesNothing is true if the message quotes nothing.
	QuotesNothing bool
	// IsMissing is true if something must be in the place and is not. A fault inside the place
	// explains it.
	IsMissing bool
	// Meant is the place that an unknown field is likely meant for; "" if that is not known. It
	// explains what is missing there.
	Meant string
}

// RefOf names the object at root. Missing, null or non-scalar parts are empty.
func RefOf(root *tree.Node) Ref {
	metadata := tree.Lookup(root, "metadata")
	return Ref{
		APIVersion: tree.GetString(root, "apiVersion"),
		Kind:       tree.GetString(root, "kind"),
		Namespace:  tree.GetString(metadata, "namespace"),
		Name:       tree.GetString(metadata, "name"),
	}
}

// FileOf returns the file of the object at root according to the host: the annotations
// internal.config.kubernetes.io/path and index, else config.kubernetes.io/path and index. Without a
// path the file is unknown; an index that is no number, or negative, is unknown.
func FileOf(root *tree.Node) File {
	annotations := tree.Get(root, "metadata", "annotations")
	file := File{Path: hostAnnotation(annotations, "internal.config.kubernetes.io/path", "config.kubernetes.io/path")}
	if file.Path == "" {
		return File{}
	}
	index, err := strconv.Atoi(hostAnnotation(annotations, "internal.config.kubernetes.io/index", "config.kubernetes.io/index"))
	if err == nil && index >= 0 {
		file.Index, file.HasIndex = index, true
	}
	return file
}

// hostAnnotation returns the first of two annotations, or the other one if it is empty.
func hostAnnotation(annotations *tree.Node, name, other string) string {
	return cmp.Or(tree.GetString(annotations, name), tree.GetString(annotations, other))
}

// FaultResults returns the results for the faults of the functionConfig ref that came from file:
// errors whose message begins with the path of the faulty field.
func FaultResults(faults []Fault, ref Ref, file File) []Result {
	results := make([]Result, len(faults))
	for i, fault := range faults {
		message := fault.Message
		if fault.Path != "" {
			message = fault.Path + ": " + message
		}
		tags := map[string]string{"reason": ReasonInvalidFunctionConfig}
		maps.Copy(tags, fault.Tags)
		results[i] = Result{
			Message: message, Severity: SeverityError, Ref: ref, File: file, Field: Field{Path: fault.Path}, Tags: tags,
			Detail: fault.Detail, QuotesNothing: fault.QuotesNothing,
		}
	}
	return results
}

// Redact masks what a functionConfig has brought into results.
func Redact(results []Result, mask *redact.Mask) {
	shown := map[string]string{} // by expression, of which many results have the same
	var texts []string
	for _, r := range results {
		if expression := r.Tags["expression"]; expression != "" {
			shown[expression] = expression
		}
		if r.Tags["reason"] == ReasonInvalidFunctionConfig {
			texts = append(texts, r.Message, r.Field.Path)
		}
		if r.Detail != "" {
			texts = append(texts, r.Detail)
		}
	}
	if !mask.MayChange(slices.AppendSeq(texts, maps.Keys(shown))...) {
		return
	}
	for expression := range shown {
		shown[expression] = mask.Expression(expression)
	}
	for i := range results {
		results[i] = results[i].redacted(mask, shown[results[i].Tags["expression"]])
	}
}

// Redacted masks the expression in a result, and in one about a fault of a functionConfig all that
// it quotes.
func (r Result) Redacted(mask *redact.Mask) Result {
	results := []Result{r}
	Redact(results, mask)
	return results[0]
}

// redacted is Redacted for a result whose expression is shown so.
func (r Result) redacted(mask *redact.Mask, shown string) Result {
	if r.Detail != "" {
		r.Detail = mask.Expression(r.Detail)
	}
	if expression := r.Tags["expression"]; shown != expression {
		r.Tags = maps.Clone(r.Tags)
		r.Tags["expression"], r.Message = shown, strings.ReplaceAll(r.Message, expression, shown)
	}
	if r.Tags["reason"] == ReasonInvalidFunctionConfig && !r.QuotesNothing {
		r.Message, r.Field.Path = mask.Config(r.Message), mask.Config(r.Field.Path)
	}
	return r
}

// Line returns the result as one line of text for stderr, without the line break: the severity, the
// message, in parentheses the object and its file if they are known and not in the message, and in
// brackets the reason, as printable.Line writes it.
func (r Result) Line() string {
	line := r.Severity + ": " + r.Message
	if r.Severity == "" {
		line = r.Message
	}
	var about []string
	for _, part := range []string{r.Ref.String(), r.File.String()} {
		if !words.Names(r.Message, part) {
			about = append(about, part)
		}
	}
	if len(about) > 0 {
		line += " (" + strings.Join(about, ", ") + ")"
	}
	if reason := r.Tags["reason"]; reason != "" {
		line += " [" + reason + "]"
	}
	return printable.Line(line)
}

// DetailLines returns the lines of the detail without their line breaks, each as printable.Source
// writes it.
func (r Result) DetailLines() []string {
	return lists.Map(slices.Collect(strings.Lines(r.Detail)), func(line string) string {
		return printable.Source(strings.TrimRight(line, "\n"))
	})
}
