package ignorefields

import (
	"strconv"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// ownRule is a rule in an object's annotation fn.kpt.dev/ignore-fields: a rule without selectors,
// since it is for that object alone.
type ownRule struct {
	Condition string `json:"condition" enum:"OnSpokePresent,OnSpokeChange" default:"OnSpokePresent"`
	expr.Lists
	Within         []rules.Within       `json:"within" orOne:"true"`
	FromAnnotation rules.FromAnnotation `json:"fromAnnotation"`
	FromOwners     bool                 `json:"fromOwners"`
	Managers       []string             `json:"managedFieldsManagers"`
}

// ownRules compiles the rules in an object's own annotation. Faults are reported against the
// object.
func (r *run) ownRules(item *object.Object) ([]rules.Rule, []report.Result) {
	if !mayHaveAnnotation(item, RulesAnnotation) {
		return nil, nil
	}
	text, ok := annotation(item.Root(), RulesAnnotation)
	if !ok {
		return nil, nil
	}
	rules, faults := r.parseOwnRules(text, item)
	if len(faults) == 0 {
		return rules, nil
	}
	root := item.Root()
	mask := redact.New(root)
	for i := range faults {
		faults[i] = faults[i].Redacted(mask)
	}
	return nil, report.FaultResults(faults, report.RefOf(root), item.File())
}

func (r *run) parseOwnRules(text string, item *object.Object) ([]rules.Rule, []report.Fault) {
	path := annotationsAt.With(location.Key(RulesAnnotation)).String()
	list, err := tree.Parse([]byte(text))
	if err != nil {
		return nil, []report.Fault{{Path: path, Message: "must be a YAML list of rules: " + err.Error()}}
	}
	if !tree.IsList(list) {
		return nil, []report.Fault{{Path: path, Message: "must be a YAML list of rules, found " + config.Found(list)}}
	}
	c := rules.Compiler{Limits: r.limits, Ref: report.RefOf(item.Root()), File: item.File()}
	decoded := make([]rules.Config, len(list.Content))
	var decoding []report.Fault
	for i, n := range list.Content {
		var own ownRule
		decoding = append(decoding, decodeOwnRule(n, path+"["+strconv.Itoa(i)+"]", &own)...)
		decoded[i] = rules.Config{
			Condition: own.Condition, Lists: own.Lists, Within: own.Within,
			FromAnnotation: own.FromAnnotation, FromOwners: own.FromOwners, Managers: own.Managers,
		}
	}
	own := c.Rules(decoded, func(i int) string { return path + "[" + strconv.Itoa(i) + "]" })
	return unnumbered(own), append(decoding, report.WithoutFollowUps(c.Faults, decoding)...)
}

func decodeOwnRule(n *tree.Node, path string, own *ownRule) []report.Fault {
	if tree.Type(n) == tree.Null {
		return []report.Fault{{Path: path, Message: "must be a rule, found null"}}
	}
	return config.Decode(n, path, own)
}

// unnumbered removes the rules' numbers, so that the run does not report that they matched nothing.
func unnumbered(own []rules.Rule) []rules.Rule {
	for i := range own {
		own[i].Number, own[i].IsOwn = -1, true
		for _, level := range own[i].Within {
			unnumber(level.Expressions)
		}
		for _, list := range own[i].Lists {
			unnumber(list)
		}
	}
	return own
}

func unnumber(list []rules.Expression) {
	for i := range list {
		list[i].Number, list[i].IsOwn = -1, true
		for k := range list[i].Parts {
			list[i].Parts[k].Number = -1
		}
	}
}
