//go:build !nopatches

package suggest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/words"
)

// Tool is a program that applies and prints the message.
type Tool struct {
	Title string
	// Rules is the name of its own form of rules in package convert; "" for none.
	Rules string
	// manager is its field manager, which may end in *.
	manager string
	// takeOver makes it take over a field; MANAGER is the field manager.
	takeOver string
	// own is its own list of fields to leave to their owners, where that is no form of package
	// convert; nil for none.
	own *ownList
	// says is what only its messages have.
	says func() *regexp.Regexp
}

const force = "kubectl apply --server-side --force-conflicts --field-manager=MANAGER -f FILE"

// tools are the tools, each told by words that only its messages have; the last one prints what has
// no mark of another.
var tools = []*Tool{
	{Title: "Terraform", manager: "Terraform", takeOver: "force = true in the resource",
		says: words.Pattern(`Another\s+client\s+is\s+managing\s+a\s+field\s+Terraform`)},
	{Title: "Terraform", manager: "Terraform", own: &terraform,
		takeOver: `force_conflicts = true in the field_manager block of the kubernetes_manifest`,
		says:     words.Pattern(`kubernetes_manifest|field manager conflict when trying to apply|force_conflicts`)},
	{Title: "Pulumi", manager: "pulumi-*", own: &pulumi, takeOver: `the annotation pulumi.com/patchForce: "true" on the resource`,
		says: words.Pattern(`\bpulumi:|Pulumi|kubernetes:[a-z0-9./-]+:[A-Z]|(?i:server-side apply field conflict detected)`)},
	{Title: "Argo CD", Rules: "argocd", manager: "argocd-controller", takeOver: force,
		says: words.Pattern(`argocd app|objects failed to apply|synchronization tasks|ComparisonError|SyncFailed|OutOfSync|Retrying attempt`)},
	{Title: "Flux", Rules: "flux", manager: "helm-controller", takeOver: force,
		says: words.Pattern(`Helm (?:upgrade|install|rollback) failed for release|HelmRelease|helm-controller:`)},
	{Title: "Flux", Rules: "flux", manager: "kustomize-controller", takeOver: force,
		says: words.Pattern(`dry-run\s+failed|ReconciliationFailed|kustomize\.toolkit\.fluxcd`)},
	{Title: "Helm", manager: "helm", takeOver: "helm upgrade RELEASE CHART --server-side=true --force-conflicts",
		says: words.Pattern(`conflict\s+occurred\s+while\s+applying|(?:UPGRADE|INSTALLATION|ROLLBACK) FAILED|(?i:error: (?:upgrade|rollback))`)},
	{Title: "kubectl", manager: "kubectl", takeOver: force, says: words.Pattern(``)},
}

// TakeOver says how the tool takes a field over; applier is its field manager, "" for the usual
// one.
func (t *Tool) TakeOver(applier string) string {
	if applier == "" {
		applier = t.manager
	}
	return strings.ReplaceAll(t.takeOver, "MANAGER", applier)
}

// IsOwn tells whether a manager is the tool itself under a name that it has or had.
func (t *Tool) IsOwn(applier, manager string) bool {
	if applier != "" && manager == applier || selector.Glob(t.manager, manager) ||
		manager == managedfields.ClientSideApply || manager == managedfields.BeforeFirstApply {
		return true
	}
	known := slices.IndexFunc(managedfields.Tools, func(tool *managedfields.Tool) bool { return tool.Manager == t.manager })
	return known >= 0 && managedfields.Tools[known].Own(applier, manager)
}
