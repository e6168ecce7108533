package ignorefields

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/config"
	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
)

// ownRule is a rule in an object's annotation fn.kpt.dev/ignore-fields: a rule
// without selectors, since it is for that object alone.
type ownRule struct {
	Condition         string   `json:"condition" enum:"OnSpokePresent,OnSpokeChange" default:"OnSpokePresent"`
	JSONPaths         []string `json:"jsonPaths"`
	JSONPointers      []string `json:"jsonPointers"`
	JQPathExpressions []string `json:"jqPathExpressions"`
	FromAnnotation    bool     `json:"fromAnnotation"`
}

// ownRules compiles the rules in an object's own annotation. Faults are reported
// against the object.
func (r *run) ownRules(item *object.Object) ([]rule, []report.Result) {
	root := item.Root()
	text, ok := annotation(root, rulesAnnotation)
	if !ok {
		return nil, nil
	}
	rules, faults := r.parseOwnRules(text)
	if len(faults) == 0 {
		return rules, nil
	}
	mask := redact.New(root)
	for i := range faults {
		faults[i] = faults[i].Redacted(mask)
	}
	return nil, report.FaultResults(faults, report.RefOf(root), item.File())
}

func (r *run) parseOwnRules(text string) ([]rule, []report.Fault) {
	path := annotationsAt.With(locate.Key(rulesAnnotation)).String()
	list, err := tree.Parse([]byte(text))
	if err != nil {
		return nil, []report.Fault{{Path: path, Message: "must be a YAML list of rules: " + err.Error()}}
	}
	if !tree.IsList(list) {
		return nil, []report.Fault{{Path: path, Message: "must be a YAML list of rules, found " + config.Found(list)}}
	}
	c := compiler{limits: r.limits, allHints: true}
	decoded := make([]Rule, len(list.Content))
	var decoding []report.Fault
	for i, n := range list.Content {
		var own ownRule
		decoding = append(decoding, decodeOwnRule(n, path+"["+strconv.Itoa(i)+"]", &own)...)
		decoded[i] = Rule{
			Condition: own.Condition, JSONPaths: own.JSONPaths, JSONPointers: own.JSONPointers,
			JQPathExpressions: own.JQPathExpressions, FromAnnotation: own.FromAnnotation,
		}
	}
	rules := c.rules(decoded, paths{rules: path})
	return unnumbered(rules), append(decoding, elsewhere(c.faults, decoding)...)
}

func decodeOwnRule(n *yaml.Node, path string, own *ownRule) []report.Fault {
	if tree.Type(n) == tree.Null {
		return []report.Fault{{Path: path, Message: "must be a rule, found null"}}
	}
	return config.Decode(n, path, own)
}

// unnumbered takes the rules out of the account of what matched nothing in the
// whole run.
func unnumbered(rules []rule) []rule {
	for i := range rules {
		rules[i].number = -1
		for _, list := range rules[i].lists {
			for j := range list {
				list[j].number, list[j].isOwn = -1, true
				for k := range list[j].parts {
					list[j].parts[k].number = -1
				}
			}
		}
	}
	return rules
}
