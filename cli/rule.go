package cli

import (
	"maps"
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
	var rules []any
	rule := map[string]any{}
	for _, d := range expr.Dialects {
		var texts []any
		for _, text := range *o.texts[d.Name] {
			texts = append(texts, text)
		}
		if texts != nil {
			rule[d.Field] = texts
		}
	}
	if len(rule) > 0 {
		rules = append(rules, rule)
	}
	if o.fromOwners {
		rules = append(rules, map[string]any{"fromOwners": true})
	}
	config := map[string]any{
		"apiVersion": fn.APIVersion, "kind": ignorefields.Kind, "metadata": map[string]any{"name": "command-line"},
		"ignoreFields": rules, "objectHash": map[string]any{"emit": false},
	}
	if selectors := o.selectors(); len(selectors) > 0 {
		config["selectors"] = selectors
	}
	if o.action != "" {
		config["action"] = o.action
	}
	return tree.FromValue(config)
}

func (o ruleOptions) selectors() []any {
	common := map[string]any{}
	if o.hasGroup {
		common["group"] = o.group
	}
	if o.name != "" {
		common["name"] = o.name
	}
	if o.selector != "" {
		common["labelSelector"] = o.selector
	}
	if len(o.kinds) == 0 && len(common) > 0 {
		return []any{common}
	}
	var entries []any
	for _, kind := range o.kinds {
		entry := maps.Clone(common)
		entry["kind"] = kind
		entries = append(entries, entry)
	}
	return entries
}
