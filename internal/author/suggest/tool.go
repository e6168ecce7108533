//go:build !nopatches

package suggest

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/words"
)

// Tool is a program that applies and prints the message.
type Tool struct {
	Title string
	// Rules is the name of its own form of rules in package convert; "" for none.
	Rules string
	// manager is its field manager, which may end in *, and other a name that it has or had, too.
	manager, other string
	// takeOver makes it take over a field; MANAGER stands for its field manager.
	takeOver string
	// takesOne tells that it takes over that field only, and not all that is in conflict.
	takesOne bool
	// own is its own list of fields to leave to their owners, where that is no form of package
	// convert; nil for none.
	own *ownList
	// note says how else it leaves fields to their owners; "" for no other way.
	note string
	// says is what only its messages have.
	says func() *regexp.Regexp
}

// force takes over all that is in conflict; behind a run of the rules, what they do not leave out.
const (
	force      = "kubectl apply --server-side --force-conflicts --field-manager=MANAGER -f FILE"
	forceAfter = "krm-fields run -c RULES PATH | kubectl apply --server-side --force-conflicts --field-manager=MANAGER -f -"
)

// hashiCorp is the field manager of all that a provider of Terraform does without naming one.
const hashiCorp = "HashiCorp"

// tools are the tools, each told by words that only its messages have; the last one prints what has
// no mark of another.
var tools = []*Tool{
	{Title: "Terraform", manager: "Terraform", other: hashiCorp, takeOver: "force = true in the resource",
		says: words.Pattern(`Another\s+client\s+is\s+managing\s+a\s+field\s+Terraform`)},
	{Title: "Terraform", manager: "kubectl", other: hashiCorp, takeOver: "force_conflicts = true in the kubectl_manifest",
		says: words.Pattern(`kubectl_manifest|failed\s+to\s+run\s+apply`)},
	{Title: "Terraform", manager: "Terraform", other: hashiCorp, own: &terraform,
		takeOver: `force_conflicts = true in the field_manager block of the kubernetes_manifest`,
		says:     words.Pattern(`kubernetes_manifest|field manager conflict when trying to apply|force_conflicts`)},
	{Title: "Pulumi", manager: "pulumi-*", own: &pulumi, takeOver: `the annotation pulumi.com/patchForce: "true" on the resource`,
		says: words.Pattern(`\bpulumi:|Pulumi|pulumi\.com/|by\s+field\s+manager\s+"pulumi-|kubernetes:[a-z0-9./-]+:[A-Z]|` +
			`(?i:server-side apply field conflict detected)`)},
	{Title: "kluctl", manager: "kluctl", own: &kluctl, takesOne: true,
		takeOver: "the annotation kluctl.io/force-apply-field with the field, or kluctl deploy --force-apply",
		says:     words.Pattern(`as\s+we\s+lost\s+field\s+ownership`)},
	{Title: "Argo CD", Rules: "argocd", manager: "argocd-controller", takeOver: force,
		says: words.Pattern(`argocd app|objects failed to apply|synchronization tasks|ComparisonError|SyncFailed|OutOfSync|Retrying attempt`)},
	{Title: "Flux", Rules: "flux", manager: "helm-controller", takeOver: force,
		note: "In a HelmRelease that holds for its drift detection; an upgrade sets the fields, unless spec.postRenderers removes them.",
		says: words.Pattern(`Helm (?:upgrade|install|rollback) failed for release|HelmRelease|helm-controller:`)},
	{Title: "Flux", Rules: "flux", manager: "kustomize-controller", takeOver: force,
		says: words.Pattern(`dry-run\s+failed|ReconciliationFailed|kustomize\.toolkit\.fluxcd`)},
	{Title: "Helm", manager: "helm", takeOver: "helm upgrade RELEASE CHART --server-side=true --force-conflicts",
		note: "Helm 4 applies the rules by the plugin krm-fields: helm upgrade RELEASE CHART --post-renderer krm-fields --post-renderer-args --config=RULES",
		says: words.Pattern(`conflict\s+occurred\s+while\s+applying|(?:UPGRADE|INSTALLATION|ROLLBACK) FAILED|(?i:error: (?:upgrade|rollback))`)},
	{Title: "kubectl", manager: "kubectl", takeOver: force, says: words.Pattern(``)},
}

// isOwn tells whether a manager is the tool itself under a name that it has or had.
func (t *Tool) isOwn(applier, manager string) bool {
	if applier != "" && manager == applier || selector.Glob(t.manager, manager) || manager != "" && manager == t.other ||
		manager == managedfields.ClientSideApply || manager == managedfields.BeforeFirstApply {
		return true
	}
	known := slices.IndexFunc(managedfields.Tools, func(tool *managedfields.Tool) bool { return tool.Manager == t.manager })
	return known >= 0 && managedfields.Tools[known].Own(applier, manager)
}

// takesOver says how the tool takes over a field in conflict, for which others get a rule or not.
func (t *Tool) takesOver(applier string, hasRules bool) string {
	text := t.takeOver
	switch {
	case !hasRules || t.takesOne:
	case text == force:
		text = forceAfter
	default:
		text += ", which takes over all other conflicts, too"
	}
	return strings.ReplaceAll(text, "MANAGER", cmp.Or(applier, t.manager))
}

// ownList is how a tool lists the fields of a resource that it leaves to their owners.
type ownList struct {
	// how says where the list stands, and list is its form.
	how, list string
	// always are fields that the list has where none is given.
	always []hint.Path
	// step writes a step; false if the tool can't name it, so that it leaves all that is around it.
	step func(p hint.Path, i int) (string, bool)
}

var (
	identifier = words.Pattern(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	plainKey   = words.Pattern(`^[A-Za-z0-9_]+$`)
)

// terraform is what the apply of a kubernetes_manifest fills in from the live object, unless the
// configuration has changed; ignore_changes would send the old value all the same. The source is
// https://github.com/hashicorp/terraform-provider-kubernetes/blob/v3.2.1/manifest/provider/plan.go.
var terraform = ownList{
	how:    "if its value in manifest is that of the last apply (else leave the field out of manifest)",
	list:   "computed_fields = [%s]",
	always: []hint.Path{{{Key: "metadata"}, {Key: "annotations"}}, {{Key: "metadata"}, {Key: "labels"}}},
	step: func(p hint.Path, i int) (string, bool) {
		switch inMap := i > 0 && isStringMap(p, i-1); {
		case p[i].Kind == hint.Index:
			return "[" + p[i].Key + "]", true
		case p[i].Kind == hint.Key && !inMap && matches(identifier, p[i].Key):
			return "." + p[i].Key, true
		}
		return "[" + strconv.Quote(p[i].Key) + "]", p[i].Kind == hint.Key
	},
}

// pulumi is what an update leaves out, or sends as it is on the cluster. It splits names at dots,
// so only plain keys work. The source is
// https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/await/await.go.
var pulumi = ownList{
	how:  "as an option of the resource",
	list: "ignoreChanges: [%s]",
	step: func(p hint.Path, i int) (string, bool) {
		return "." + p[i].Key, p[i].Kind == hint.Key && matches(plainKey, p[i].Key)
	},
}

// kluctl is what it leaves to others, by JSONPaths of its own. The source is
// https://kluctl.io/docs/kluctl/deployments/annotations/all-resources/.
var kluctl = ownList{
	how:  "as annotations kluctl.io/ignore-conflicts-field, -1, -2 and so on, one for each of",
	list: "%s",
	step: func(p hint.Path, i int) (string, bool) {
		switch {
		case p[i].Kind == hint.Index:
			return "[" + p[i].Key + "]", true
		case p[i].Kind == hint.Key && matches(identifier, p[i].Key):
			return "." + p[i].Key, true
		}
		return `["` + p[i].Key + `"]`, p[i].Kind == hint.Key
	},
}

func matches(pattern func() *regexp.Regexp, text string) bool { return pattern().MatchString(text) }

// ownRules returns lines that say how the tool itself leaves fields of an object to their owners;
// none if it has no way but those of package convert.
func (t *Tool) ownRules(object string, fields []hint.Path) []string {
	if t.own == nil {
		return nil
	}
	var wide []string
	var all [][]string
	isWide, isNamed := map[string]bool{}, map[string]bool{}
	for _, field := range slices.Concat(t.own.always, fields) {
		names, isWhole := t.own.names(field)
		name := names[len(names)-1]
		if !isWhole && !isWide[name] {
			isWide[name] = true
			wide = append(wide, name)
		}
		if name != "" && !isNamed[name] {
			isNamed[name] = true
			all = append(all, names)
		}
	}
	isInside := func(names []string) bool {
		return slices.ContainsFunc(names[:len(names)-1], func(around string) bool { return isNamed[around] })
	}
	names := lists.Map(slices.DeleteFunc(all, isInside), func(names []string) string { return names[len(names)-1] })
	lines := []string{
		fmt.Sprintf("The same for %s (%s), %s:", t.Title, cmp.Or(object, "the object"), t.own.how),
		"    " + fmt.Sprintf(t.own.list, strings.Join(lists.Map(names, strconv.Quote), ", ")),
	}
	if len(wide) > 0 {
		lines = append(lines, fmt.Sprintf("That leaves all of %s, since %s can't name the field alone.", words.All(wide), t.Title))
	}
	return lines
}

// names writes a field step by step, from "" to its name; isWhole is false if the last name is that
// of something around it.
func (l *ownList) names(field hint.Path) (names []string, isWhole bool) {
	names = []string{""}
	for i := range field {
		step, ok := l.step(field, i)
		if !ok {
			return names, false
		}
		names = append(names, strings.TrimPrefix(names[i]+step, "."))
	}
	return names, true
}
