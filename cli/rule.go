package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// ruleOptions are the flags that make a rule without a file.
type ruleOptions struct {
	// texts are the expressions by the name of the dialect.
	texts                    map[string]*[]string
	kinds, names, namespaces []string
	group, selector          string
	// excludeKinds and the like are left out.
	excludeKinds, excludeNames, excludeNamespaces []string
	action                                        string
	// fromOwners asks for a rule for the fields that other objects own.
	fromOwners bool
	// clean asks for objects without what only a server sets.
	clean bool
	// hasGroup tells whether a group was given: "" is the core group.
	hasGroup bool
}

func (o *ruleOptions) addTo(command *cobra.Command) {
	flags := command.Flags()
	o.texts = map[string]*[]string{}
	for _, d := range expr.Dialects {
		o.texts[d.Name] = flags.StringArray(d.Flag, nil, "rule without a file: "+d.Usage+"; may be given several times")
	}
	flags.BoolVar(&o.fromOwners, "from-owners", false,
		"rule without a file: the fields that other objects of the package own, such as replicas with a HorizontalPodAutoscaler")
	flags.BoolVar(&o.clean, "clean", false, "take out what only a server sets, so that what kubectl get prints becomes a manifest")
	flags.StringSliceVar(&o.kinds, "kind", nil, "`KIND` of the objects for the rule; may be given several times")
	flags.StringVar(&o.group, "group", "", "API `GROUP` of the objects for the rule; \"\" is the core group")
	flags.StringSliceVar(&o.names, "name", nil, "`NAME` of the objects for the rule, * is a wildcard; may be given several times")
	flags.StringSliceVar(&o.namespaces, "in-namespace", nil,
		"namespace `NS` of the objects for the rule, as their manifests have it, * is a wildcard; may be given several times")
	flags.StringVar(&o.selector, "selector", "", "`LABELS` of the objects for the rule: app=web,tier!=cache")
	flags.StringSliceVar(&o.excludeKinds, "exclude-kind", nil, "`KIND` of objects that the rule is not for; may be given several times")
	flags.StringSliceVar(&o.excludeNames, "exclude-name", nil, "`NAME` of objects that the rule is not for; may be given several times")
	flags.StringSliceVar(&o.excludeNamespaces, "exclude-namespace", nil, "namespace `NS` of objects that the rule is not for; may be given several times")
	addChoice(command, &o.action, "action", "", ignorefields.Strip.Enum(), "`ACTION` of the rule, the first if it is not given")
	for _, flag := range []string{"kind", "exclude-kind"} {
		completeFrom(command, flag, func(ref report.Ref) string { return ref.Kind }, usualKinds...)
	}
}

// usualKinds are completed along with those in the manifests.
var usualKinds = []string{
	"ConfigMap", "CronJob", "DaemonSet", "Deployment", "HorizontalPodAutoscaler", "Ingress", "Job", "Pod", "Secret", "Service", "StatefulSet",
}

func (o ruleOptions) has() bool {
	for _, texts := range o.texts {
		if len(*texts) > 0 {
			return true
		}
	}
	return o.fromOwners
}

// ruleFlags lists the flags that make a rule, with a conjunction before the last one.
func ruleFlags(word string) string {
	flags := lists.Map(expr.SimplestFirst(), func(d expr.Dialect) string { return "--" + d.Flag })
	flags = append(flags, "--from-owners")
	last := len(flags) - 1
	return strings.Join(flags[:last], ", ") + word + flags[last]
}

func (o ruleOptions) check() error {
	narrowed := o.selectors() != nil || o.exclude() != nil || o.action != ""
	return firstOf(fault{narrowed && !o.has(), "--kind, --group, --name, --in-namespace, --selector, --exclude-kind, --exclude-name, --exclude-namespace " +
		"and --action are for a rule without a file; type " + ruleFlags(" or ") + " with them"})
}

// functionConfig sets no object hash, since nobody asked for one.
func (o ruleOptions) functionConfig() *tree.Node {
	var members []any
	for _, d := range expr.Dialects {
		members = append(members, d.Field, *o.texts[d.Name])
	}
	rules := tree.NewList()
	if rule := tree.NewMap(members...); len(rule.Content) > 0 {
		rules.Content = append(rules.Content, rule)
	}
	if o.fromOwners {
		rules.Content = append(rules.Content, tree.NewMap("fromOwners", tree.FromValue(true)))
	}
	return tree.NewMap("apiVersion", fn.APIVersion, "kind", ignorefields.Kind, "metadata", tree.NewMap("name", "command-line"),
		"ignoreFields", rules, "objectHash", tree.NewMap("emit", tree.FromValue(false)),
		"selectors", o.selectors(), "exclude", o.exclude(), "action", words.Given(o.action))
}

// selectors returns a selector for each kind, name and namespace together; nil if nothing narrows
// the rule.
func (o ruleOptions) selectors() *tree.Node {
	var group *string
	if o.hasGroup {
		group = &o.group
	}
	entries := tree.NewList()
	for _, kind := range orAny(o.kinds) {
		for _, name := range orAny(o.names) {
			for _, namespace := range orAny(o.namespaces) {
				entry := tree.NewMap("group", group, "name", words.Given(name), "namespace", words.Given(namespace),
					"labelSelector", words.Given(o.selector), "kind", words.Given(kind))
				if len(entry.Content) > 0 {
					entries.Content = append(entries.Content, entry)
				}
			}
		}
	}
	if len(entries.Content) == 0 {
		return nil
	}
	return entries
}

// orAny returns the texts, or "" alone, which is any.
func orAny(texts []string) []string {
	if len(texts) == 0 {
		return []string{""}
	}
	return texts
}

// exclude returns an entry for each kind, name and namespace that is excluded; nil for none.
func (o ruleOptions) exclude() *tree.Node {
	list := tree.NewList()
	for _, of := range []struct {
		field string
		texts []string
	}{{"kind", o.excludeKinds}, {"name", o.excludeNames}, {"namespace", o.excludeNamespaces}} {
		for _, text := range of.texts {
			list.Content = append(list.Content, tree.NewMap(of.field, text))
		}
	}
	if len(list.Content) == 0 {
		return nil
	}
	return list
}
