package managedfields

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/lists"
)

// Field managers.
const (
	// Kubectl is that of kubectl apply --server-side.
	Kubectl = "kubectl"
	// ClientSideApply is that of kubectl apply without --server-side.
	ClientSideApply = "kubectl-client-side-apply"
	// BeforeFirstApply is the one to which the API server gives what an object had before its first
	// server-side apply.
	BeforeFirstApply = "before-first-apply"
)

// LastAppliedKeeper is the one that keeps LastApplied after kubectl has taken over what was applied
// on the client's side.
const LastAppliedKeeper = "kubectl-last-applied"

// LastApplied is the annotation with the object that kubectl has applied on the client's side.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

const apply, update = "Apply", "Update" // the operations of an entry

// handEdits are managers that stand for a person, beside those of the commands of kubectl.
var handEdits = []string{Kubectl, "k9s", "scale", "Mozilla"}

// IsHandEdit tells whether a manager stands for a person, whose edit is drift.
func IsHandEdit(manager string) bool {
	return strings.HasPrefix(manager, "kubectl-") || slices.Contains(handEdits, manager)
}

// IsHandEdit tells whether the entry is that of a person's edit. A server-side apply of kubectl is
// that of a package.
func (e Entry) IsHandEdit() bool {
	return IsHandEdit(e.Manager) && (e.Manager != Kubectl || e.Operation != apply)
}

// A Tool is a program that applies, with what it does beside the request.
type Tool struct {
	Name string
	// Manager is its usual field manager.
	Manager string
	// Alias is another name of its own; "" for none.
	Alias string
	// Also are those of other programs that apply by its code, or other names that a user may give
	// it; one may end in *.
	Also []string
	// Forces tells that it always forces conflicts.
	Forces bool
	// Keeps tells that the tool applies the live value of a field that would be removed or reset if
	// the package did not have it.
	Keeps bool
	// Old are the entries that the tool makes its own before it applies.
	Old []OldEntry
	// AnyVersion tells that it gets the fields of those of every version of the kind, and not only
	// of the version of its own entry.
	AnyVersion bool
	// Migrates tells that after its apply the tool takes over those who applied on the client's
	// side, and applies again.
	Migrates bool
	// SkipsSame tells that the tool does not apply where it takes over nobody and no label,
	// annotation or field outside metadata and status would change.
	SkipsSame bool
	// Cleans are annotations and labels that the tool removes before it applies.
	Cleans []string
	// Adds are annotations and labels that the tool itself adds to the package.
	Adds []string
	// Labels are those that the tool sets on each object.
	Labels map[string]any
	// Works tells that it applies the manifests of ManifestWorks, as each says.
	Works bool
}

// An OldEntry is the entry of a manager, whose name may end in "*", with an operation.
type OldEntry struct{ Manager, Operation string }

// Tools are the tools in the order of the documentation; the first is the default. The sources are
// https://github.com/kubernetes/kubectl/blob/v0.37.2/pkg/cmd/apply/apply.go (which kpt and Argo CD
// use, too),
// https://github.com/argoproj/argo-cd/blob/v3.6.1/gitops-engine/pkg/sync/sync_context.go,
// https://github.com/fluxcd/pkg/blob/ssa/v0.78.0/ssa/manager_apply.go,
// https://github.com/fluxcd/kustomize-controller/blob/main/internal/controller/kustomization_controller.go,
// https://github.com/helm/helm/blob/v4.3.1/pkg/kube/client.go and
// https://github.com/open-cluster-management-io/ocm/blob/v1.3.1/pkg/work/spoke/apply/server_side_apply.go.
var Tools = []*Tool{
	{Name: "kubectl", Manager: Kubectl, Migrates: true},
	{Name: "krm-fields", Manager: Kubectl, Migrates: true, Keeps: true},
	{Name: "argocd", Manager: "argocd-controller", Alias: "argocd-application-controller", Forces: true, Migrates: true,
		Old:  []OldEntry{{ClientSideApply, update}},
		Adds: []string{"argocd.argoproj.io/tracking-id", "argocd.argoproj.io/installation-id", "app.kubernetes.io/instance"}},
	{Name: "flux", Manager: "kustomize-controller", Also: []string{"flux"}, Forces: true, AnyVersion: true, SkipsSame: true,
		Old:    []OldEntry{{"kubectl*", apply}, {"kubectl*", update}, {BeforeFirstApply, update}, {"kustomize-controller", update}},
		Cleans: []string{LastApplied, "kustomize.toolkit.fluxcd.io/checksum", "fluxcd.io/sync-checksum", "fluxcd.io/sync-gc-mark"},
		Adds:   []string{"kustomize.toolkit.fluxcd.io/name", "kustomize.toolkit.fluxcd.io/namespace"}},
	{Name: "helm", Manager: "helm", Also: []string{"helm-controller"}, Old: []OldEntry{{"helm", update}},
		Adds: []string{"meta.helm.sh/release-name", "meta.helm.sh/release-namespace", "app.kubernetes.io/managed-by",
			"helm.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/namespace"}},
	{Name: "kpt", Manager: Kubectl, Migrates: true, Adds: []string{"config.k8s.io/owning-inventory"}},
	{Name: "ocm", Manager: "work-agent", Also: []string{"work-agent*"}, Works: true, Adds: []string{"open-cluster-management.io/object-hash"}},
}

// otherAppliers are managers that apply whole packages, beside those of Tools.
var otherAppliers = []string{"kluctl"}

// AppliesPackages tells whether a manager is that of a program that applies whole packages.
func AppliesPackages(manager string) bool {
	return manager != "" && (slices.Contains(otherAppliers, manager) || slices.ContainsFunc(Tools, func(t *Tool) bool {
		return manager == t.Manager || manager == t.Alias || t.isAlso(manager)
	}))
}

// IsOfOther tells whether an entry is that of another program that applies packages than the tool.
func (t *Tool) IsOfOther(applier, manager, operation, subresource string) bool {
	isApply := operation == apply && AppliesPackages(manager) ||
		operation == update && manager != Kubectl && AppliesPackages(manager) || manager == ClientSideApply
	return subresource == "" && isApply && !t.Own(applier, manager)
}

// ApplierOf returns the manager that is taken for the one that applies the package of an object:
// the caller's or kubectl, or if neither has applied the object, the one that applies packages and
// owns most of it.
func ApplierOf(entries []Entry, manager string) string {
	if slices.ContainsFunc(entries, func(e Entry) bool {
		return e.Subresource == "" && e.Manager == manager && (manager != Kubectl || e.Operation == apply)
	}) {
		return manager
	}
	own, most := Kubectl, 0
	for _, e := range entries {
		switch {
		case e.Subresource != "":
		case e.Manager == ClientSideApply, e.Manager == Kubectl && e.Operation == apply:
			return Kubectl
		case e.Manager != Kubectl && AppliesPackages(e.Manager) && e.Size() > most:
			own, most = e.Manager, e.Size()
		}
	}
	return own
}

// ToolOf returns the tool with a field manager; one that does nothing beside its requests if it is
// not in the table.
func ToolOf(manager string) *Tool {
	if tool, ok := lists.Find(Tools, func(t *Tool) bool { return t.Manager == manager || t.Alias == manager && manager != "" }); ok {
		return tool
	}
	return &Tool{Name: manager, Manager: manager}
}

// ToolNamed returns a tool, or nil.
func ToolNamed(name string) *Tool {
	tool, _ := lists.Find(Tools, func(t *Tool) bool { return t.Name == name })
	return tool
}

// ToolWith returns the first tool that has a manager among its names, or nil.
func ToolWith(manager string) *Tool {
	tool, _ := lists.Find(Tools, func(t *Tool) bool { return t.HasName(manager) })
	return tool
}

// Own returns whether a manager is the tool itself under a name that it has or had.
func (t *Tool) Own(applier, manager string) bool {
	return manager == applier || manager == t.Alias && manager != "" || manager == ClientSideApply && t.Migrates ||
		slices.ContainsFunc(t.Old, func(e OldEntry) bool { return e.matches(manager, e.Operation) })
}

// HasName tells whether a manager is the tool under any name of its own, not one that it takes over
// from others.
func (t *Tool) HasName(manager string) bool {
	isKept := t.Migrates && (manager == ClientSideApply || manager == LastAppliedKeeper)
	return manager == t.Manager || manager == t.Alias && manager != "" || t.isAlso(manager) || isKept
}

// Marks are the labels and annotations by which the tool finds its objects.
func (t *Tool) Marks() []string {
	if !t.Migrates {
		return t.Adds
	}
	return append(slices.Clip(t.Adds), LastApplied)
}

// TakesOverFirst tells whether the tool makes the entries of a manager its own before it applies.
func (t *Tool) TakesOverFirst(manager, operation string) bool {
	return slices.ContainsFunc(t.Old, func(e OldEntry) bool { return e.matches(manager, operation) })
}

// IsTakenOver tells whether an applier makes the entry its own: kubectl, under any name, what has
// applied on the client's side.
func (e Entry) IsTakenOver(applier string) bool {
	return e.Subresource == "" && (e.hasLastApplied || slices.ContainsFunc(Tools, func(t *Tool) bool {
		return t.Manager == applier && (t.Migrates && e.Manager == ClientSideApply || t.TakesOverFirst(e.Manager, e.Operation))
	}))
}

// IsApplier tells whether the entry is that of a server-side apply.
func (e Entry) IsApplier() bool { return e.Operation == apply && e.Subresource == "" }

// isLegacy tells whether an applier may take the entry over.
func (e Entry) isLegacy() bool {
	isKnown := e.Manager == ClientSideApply || e.Manager == BeforeFirstApply
	return e.Operation == update && e.Subresource == "" && (isKnown || e.hasLastApplied)
}

func (e OldEntry) matches(manager, operation string) bool {
	return operation == e.Operation && hasName(e.Manager, manager)
}

func (t *Tool) isAlso(manager string) bool {
	return slices.ContainsFunc(t.Also, func(name string) bool { return hasName(name, manager) })
}

// hasName tells whether a manager has a name, which may end in *.
func hasName(name, manager string) bool {
	prefix, isPrefix := strings.CutSuffix(name, "*")
	return manager == name || isPrefix && strings.HasPrefix(manager, prefix)
}
