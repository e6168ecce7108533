package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// ruleOptions are the flags that make a rule without a file.
type ruleOptions struct {
	// texts are the expressions by the name of the dialect.
	texts                 map[string]*[]string
	kinds                 []string
	group, name, selector string
	action                string
	// fromOwners asks for a rule for the fields that other objects own.
	fromOwners bool
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
	flags.StringArrayVar(&o.kinds, "kind", nil, "`KIND` of the objects for the rule; may be given several times")
	flags.StringVar(&o.group, "group", "", "API `GROUP` of the objects for the rule; \"\" is the core group")
	flags.StringVar(&o.name, "name", "", "`NAME` of the objects for the rule, * is a wildcard")
	flags.StringVar(&o.selector, "selector", "", "`LABELS` of the objects for the rule: app=web,tier!=cache")
	usage := "`ACTION` of the rule: " + string(ignorefields.Strip) + " if it is not given"
	addChoice(command, &o.action, "action", "", ignorefields.Strip.Enum(), usage)
	completeFrom(command, "kind", func(ref report.Ref) string { return ref.Kind }, usualKinds...)
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
	flags := words.Of(expr.SimplestFirst(), func(d expr.Dialect) string { return "--" + d.Flag })
	flags = append(flags, "--from-owners")
	last := len(flags) - 1
	return strings.Join(flags[:last], ", ") + word + flags[last]
}

func (o ruleOptions) check() error {
	narrowed := len(o.kinds) > 0 || o.hasGroup || o.name != "" || o.selector != "" || o.action != ""
	return firstOf(fault{narrowed && !o.has(), "--kind, --group, --name, --selector and --action are for a rule without a file; " +
		"type " + ruleFlags(" or ") + " with them"})
}

// functionConfig sets no object hash, since nobody asked for one.
func (o ruleOptions) functionConfig() *tree.Node {
	var lists []any
	for _, d := range expr.Dialects {
		lists = append(lists, d.Field, *o.texts[d.Name])
	}
	rules := tree.NewList()
	if rule := tree.NewMap(lists...); len(rule.Content) > 0 {
		rules.Content = append(rules.Content, rule)
	}
	if o.fromOwners {
		rules.Content = append(rules.Content, tree.NewMap("fromOwners", tree.FromValue(true)))
	}
	return tree.NewMap("apiVersion", fn.APIVersion, "kind", ignorefields.Kind, "metadata", tree.NewMap("name", "command-line"),
		"ignoreFields", rules, "objectHash", tree.NewMap("emit", tree.FromValue(false)), "selectors", o.selectors(), "action", words.Given(o.action))
}

// selectors returns a selector for each kind, or one for any; nil if nothing narrows the rule.
func (o ruleOptions) selectors() *tree.Node {
	var group *string
	if o.hasGroup {
		group = &o.group
	}
	common := []any{"group", group, "name", words.Given(o.name), "labelSelector", words.Given(o.selector)}
	entries := words.Of(o.kinds, func(kind string) *tree.Node { return tree.NewMap(append(common, "kind", kind)...) })
	if any := tree.NewMap(common...); len(entries) == 0 && len(any.Content) > 0 {
		entries = append(entries, any)
	}
	if entries == nil {
		return nil
	}
	return tree.NewList(entries...)
}
