package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// addRuleRequest asks to add a rule to an IgnoreFields.
type addRuleRequest struct {
	// Config may be empty: then it becomes an IgnoreFields.
	Config string `json:"config"`
	// Expression is what the rule has: one that locate has answered with.
	Expression Naming `json:"expression"`
}

// addRuleAnswer is the functionConfig with the rule.
type addRuleAnswer struct {
	Config string `json:"config"`
	// Line is where the rule begins.
	Line int `json:"line"`
}

// noRules is an IgnoreFields without rules.
const noRules = "apiVersion: " + fn.APIVersion + "\nkind: " + ignorefields.Kind + "\nmetadata:\n  name: rules\nignoreFields: []\n"

// addRule adds a rule behind those that are there, unless one is the same. The rest of the text
// stays as it is.
func addRule(q addRuleRequest) (addRuleAnswer, error) {
	if strings.TrimSpace(q.Config) == "" {
		q.Config = noRules
	}
	t, fault := read(inConfig, q.Config)
	if fault != nil {
		return addRuleAnswer{}, fmt.Errorf("line %d: %s", fault.Line, fault.Message)
	}
	if len(t.objects) != 1 {
		return addRuleAnswer{}, errors.New(oneConfig(len(t.objects)))
	}
	config := t.copies()[0]
	if kind := tree.GetString(config.Root(), "kind"); kind != ignorefields.Kind {
		return addRuleAnswer{}, fmt.Errorf("the functionConfig must be of the kind %s, found %q", ignorefields.Kind, kind)
	}
	at, err := appended(config, q.Expression.rule())
	if err != nil {
		return addRuleAnswer{}, err
	}
	return t.withRule(config, at)
}

// appended adds a rule to a functionConfig and returns where it is.
func appended(config *object.Object, rule *tree.Node) (location.Location, error) {
	list := location.Location{location.Key("ignoreFields")}
	rules := location.At(config.Root(), list)
	if tree.Type(rules) != tree.List {
		if rules != nil && tree.Type(rules) != tree.Null {
			return nil, fmt.Errorf("ignoreFields must be a list, found a %s", tree.Type(rules))
		}
		one := &tree.Node{Kind: tree.SequenceNode, Tag: tree.ListTag, Content: []*tree.Node{rule}}
		return list.With(location.Index(0)), config.Set(list, one)
	}
	same := func(other *tree.Node) bool { return tree.Equal(other, rule) }
	if i := slices.IndexFunc(rules.Content, same); i >= 0 {
		return list.With(location.Index(i)), nil
	}
	at := list.With(location.Index(len(rules.Content)))
	return at, config.Set(at, rule)
}

// withRule is the text with what has changed of the functionConfig, which has a rule at a place.
func (t *text) withRule(config *object.Object, at location.Location) (addRuleAnswer, error) {
	before := t.objects[0]
	start, _ := t.offsetOf(before)
	end := start + len(before.Source())
	edited, err := config.Text()
	if err != nil {
		return addRuleAnswer{}, fmt.Errorf("the rule can't be added: %w", err)
	}
	content := string(t.bytes[:start]) + string(edited) + string(t.bytes[end:])
	added, fault := read(inConfig, content)
	if fault != nil {
		return addRuleAnswer{}, fmt.Errorf("the rule can't be added: line %d: %s", fault.Line, fault.Message)
	}
	place := added.place(added.nearest(added.objects[0], at).start)
	return addRuleAnswer{Config: content, Line: place.Line}, nil
}

// rule is a rule that has the expression alone.
func (n Naming) rule() *tree.Node {
	rule := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag}
	if len(n.Within) > 0 {
		rule.Content = append(rule.Content, tree.NewString("within"), n.within())
	}
	rule.Content = append(rule.Content, tree.NewString(n.Field), oneExpression(n.Text))
	return rule
}

// within are the expressions for the strings around the field, as a rule has them: one map, or a
// list of them for documents inside documents.
func (n Naming) within() *tree.Node {
	var levels []*tree.Node
	for _, text := range n.Within {
		levels = append(levels, &tree.Node{
			Kind: tree.MappingNode, Tag: tree.MapTag, Content: []*tree.Node{tree.NewString(n.fieldFor(text)), oneExpression(text)},
		})
	}
	if len(levels) == 1 {
		return levels[0]
	}
	return &tree.Node{Kind: tree.SequenceNode, Tag: tree.ListTag, Content: levels}
}

// fieldFor is the list that an expression around the field belongs into: that of the field's own
// dialect, if it is one.
func (n Naming) fieldFor(text string) string {
	fields := []string{n.Field}
	for _, d := range expr.SimplestFirst() {
		if _, err := d.Parse(text, jq.Limits{}); err == nil {
			fields = append(fields, d.Field)
		}
	}
	if slices.Contains(fields[1:], n.Field) || len(fields) == 1 {
		return n.Field
	}
	return fields[1]
}

func oneExpression(text string) *tree.Node {
	return &tree.Node{Kind: tree.SequenceNode, Tag: tree.ListTag, Style: tree.FlowStyle, Content: []*tree.Node{tree.NewString(text)}}
}
