package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/owners"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Actions are the validationActions of a ValidatingAdmissionPolicyBinding.
var Actions = []string{"Deny", "Warn", "Audit"}

// toAdmissionPolicy writes a policy by which the API server refuses that anybody but its owner
// changes a field, from Kubernetes 1.30 on.
var toAdmissionPolicy = Form{
	Name: "admission-policy", Title: "ValidatingAdmissionPolicy",
	Writes: "a ValidatingAdmissionPolicy and its binding, for a cluster", readsOthers: true, write: writeAdmission,
}

// guarded is a field that only its owners may write.
type guarded struct {
	rule     string // ignoreFields[0].jsonPointers[0]
	field    string // the expression as written
	targets  []ruleSelector
	dialect  string
	text     string
	managers []string // globs
	// unchanged is the condition that the field stays as it was.
	unchanged string
}

// admissionWriter writes the policies of one conversion.
type admissionWriter struct {
	Options
	schemas schema.Schemas
	defined []definition
	owners  *owners.Index
	objects []*object.Object
	// owned are the fields of objects that others own, once they are asked for.
	owned map[*object.Object][]owners.Ownership
}

func writeAdmission(sources []*source, others []*object.Object, options Options) ([]*object.Object, []report.Result) {
	w := &admissionWriter{Options: options, owners: owners.Empty(), owned: map[*object.Object][]owners.Ownership{}}
	isLive := func(o *object.Object) bool { return tree.Get(o.Root(), "metadata", "managedFields") != nil }
	var results []report.Result
	for _, o := range others {
		if !o.IsObject() {
			continue
		}
		root := o.Root()
		if schema.IsCRD(schema.ParseGVK(tree.GetString(root, "apiVersion"), tree.GetString(root, "kind"))) {
			if err := w.addCRD(root); err != nil {
				results = append(results, report.New(report.SeverityError, report.ReasonInvalidInput, err.Error()).Of(report.RefOf(root), o.File()))
			}
			continue
		}
		w.objects = append(w.objects, o)
		w.owners.Add(root, o.AssumedNamespace, o.File(), isLive(o))
	}
	if len(results) > 0 {
		return nil, results
	}
	var documents []*object.Object
	for _, s := range sources {
		policy, failed := w.policy(s)
		results = append(results, s.warnings()...)
		results = append(results, failed...)
		if policy != nil {
			documents = append(documents, object.NewDocument(policy), object.NewDocument(w.binding(tree.GetString(policy, "metadata", "name"))))
		}
	}
	return documents, results
}

// policy writes the rules of a source as a policy; nil if no rule remains. The results are the
// rules whose owner is not known.
func (w *admissionWriter) policy(s *source) (*tree.Node, []report.Result) {
	var fields []guarded
	var results []report.Result
	byRule := map[*rule][]guarded{}
	for _, r := range s.rules {
		found := w.compiled(r, w.guardedBy(r))
		byRule[r], fields = found, append(fields, found...)
		for _, g := range found {
			if len(g.managers) == 0 {
				results = append(results, report.New(report.SeverityError, report.ReasonNotConverted, fmt.Sprintf(
					"%s: nobody could write '%s': neither the rule nor an object of the input names its owner; "+
						"name the field managers that may write it with --owners NAME",
					g.rule, g.field)).Of(s.ref, s.file).At(g.rule))
			}
		}
		if len(results) == 0 {
			w.warnOfWholeKinds(r, found)
		}
	}
	if len(results) > 0 {
		return nil, results
	}
	resourceRules, isOne := w.resourceRules(fields)
	condition := func(g guarded) string { return celTargets(g.targets, isOne) }
	selected := anyCondition(lists.Map(fields, condition))
	validations := s.entries(func(r *rule) []*tree.Node {
		return lists.Map(byRule[r], func(g guarded) *tree.Node { return g.validation(condition(g), selected) })
	})
	var matchConditions *tree.Node
	if selected != "" {
		matchConditions = tree.NewList(tree.NewMap("name", "selected", "expression", selected))
	}
	spec := tree.NewMap("failurePolicy", "Fail", "matchConstraints", tree.NewMap("resourceRules", resourceRules),
		"matchConditions", matchConditions, "validations", validations.list)
	return validations.finish(newDocument("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", objectName(s.name), "spec", spec), s,
		"What other field managers than the owners write into these fields is refused from Kubernetes 1.30 on.",
		"The subresources scale and status stay open, so kubectl scale is let through."), nil
}

// warnOfWholeKinds warns of a rule that selects all objects of a kind: those of the package for a
// run, and those of the whole cluster for a policy.
func (w *admissionWriter) warnOfWholeKinds(r *rule, fields []guarded) {
	var kinds []string
	for _, g := range fields {
		for _, t := range g.targets {
			if isWholeKind(t.selector) {
				kinds = append(kinds, *cmp.Or(specific(t.selector.Kind), new("object")))
			}
		}
	}
	if len(kinds) == 0 {
		return
	}
	example := ""
	if selected := w.selected(r); len(selected) > 0 {
		example = ", here those of " + report.RefOf(selected[0].Root()).String()
	}
	r.warn(r.path, "the policy holds for every %s of the cluster, also of other packages; to limit it, give the selectors of the rule a name and a namespace%s",
		words.All(slices.Compact(slices.Sorted(slices.Values(kinds)))), example)
}

func (w *admissionWriter) binding(policy string) *tree.Node {
	spec := tree.NewMap("policyName", policy, "validationActions", []string{cmp.Or(w.Action, Actions[0])})
	return newDocument("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", policy, "spec", spec)
}

var nameParts = words.Pattern(`[a-z0-9]+(?:(?:-+|\.)[a-z0-9]+)*`)

// objectName returns a name that the API server takes (RFC 1123), which that of rules need not be.
func objectName(name string) string {
	const most = 253
	name = strings.Join(nameParts().FindAllString(strings.ToLower(name), -1), "-")
	return cmp.Or(strings.TrimRight(name[:min(len(name), most)], "-."), "rules")
}

// anyCondition joins conditions; "" where one of them is empty, which always holds.
func anyCondition(conditions []string) string {
	conditions = slices.Compact(slices.Sorted(slices.Values(conditions)))
	if len(conditions) > 0 && conditions[0] == "" {
		return ""
	}
	return oneOf(conditions)
}

// validation writes that the value of a field stays as it was unless its owner writes. The policy
// sees the selected objects alone, so the condition that selects these is left out.
func (g guarded) validation(condition, selected string) *tree.Node {
	expression := celManager(g.managers) + " || " + g.unchanged
	if condition != selected {
		expression = "!" + grouped(condition) + " || " + expression
	}
	field := strings.Join(lists.Map(strings.Split(strings.TrimSpace(g.field), "\n"), strings.TrimSpace), " ") // a message has no line breaks
	message := fmt.Sprintf("%s: %s may be written by %s only", g.rule, field, words.List(g.managers))
	return tree.NewMap("expression", expression, "message", message,
		"messageExpression", strconv.Quote(message+", found ")+` + request.options.?fieldManager.orValue("no field manager")`, "reason", "Forbidden")
}

// celManager writes the condition that the field manager of the request is one of some globs.
func celManager(managers []string) string {
	const manager = `request.options.?fieldManager.orValue("")`
	var names, terms []string
	for _, m := range managers {
		if isGlob(m) {
			terms = append(terms, manager+".matches("+strconv.Quote(globPattern(m))+")")
		} else {
			names = append(names, strconv.Quote(m))
		}
	}
	if len(names) > 0 {
		terms = append([]string{manager + " in [" + strings.Join(names, ", ") + "]"}, terms...)
	}
	return strings.Join(terms, " || ")
}
