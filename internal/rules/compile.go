// Package rules compiles the rules of the kind IgnoreFields and resolves them to locations in an
// object. It is independent of what its callers do at the locations.
package rules

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
)

// Conditions of a rule.
const (
	OnSpokePresent = "OnSpokePresent"
	OnSpokeChange  = "OnSpokeChange"
)

// OwnConfig is a rule as it is written for one object.
type OwnConfig struct {
	Condition string `json:"condition" enum:"OnSpokePresent,OnSpokeChange" default:"OnSpokePresent" doc:"OnSpokePresent leaves the field to the cluster as long as the object exists there; OnSpokeChange keeps changes made on the cluster, but applies changes made in the package."`
	expr.Lists
	Within         []Within       `json:"within" orOne:"true" doc:"Strings that hold a document, such as the application.yaml of a ConfigMap: the expressions of the rule then start at the root of each document in them. A list names documents inside documents, the outermost strings first."`
	FromAnnotation FromAnnotation `json:"fromAnnotation" doc:"Take the fields and conditions that an earlier run recorded with the action Annotate (true), or the fields of Argo CD's annotation argocd.argoproj.io/ignore-differences (ArgoCD); then the rule has no expressions."`
	FromOwners     bool           `json:"fromOwners" doc:"Take the fields that other objects of the list own, such as the replicas that a HorizontalPodAutoscaler sets; then the rule has no expressions."`
	// Managers are those of the field managedFieldsManagers.
	Managers []string `json:"managedFieldsManagers" doc:"Take every field that one of these field managers owns on the cluster, by the managedFields of the live object; * matches any run of characters. The rule then has no expressions, and the run needs live objects."`
}

// Config is a rule as it is written.
type Config struct {
	OwnConfig
	Selectors []selector.Selector `json:"selectors" doc:"Limits the rule to these of the selected objects."`
	Exclude   []selector.Selector `json:"exclude" doc:"Limits the rule to the selected objects without these."`
}

// Within names strings that hold documents.
type Within struct {
	expr.Lists
	Format string `json:"format" enum:"Auto,YAML,JSON" default:"Auto" doc:"Auto detects the format from the content."`
}

// Level is a compiled Within.
type Level struct {
	Format string
	// Expressions find the strings.
	Expressions []Expression
}

// Rule is a compiled rule.
type Rule struct {
	Index     int
	Path      string // ignoreFields[0]
	Condition string
	// Lists are those of the dialects, in the order of their table.
	Lists [][]Expression
	// conditional are the lists of the expressions that may find a field on one side of a pair of
	// objects alone.
	conditional func() [][]Expression
	// Within are the strings in whose documents the lists are resolved, the outermost first; none
	// for the object itself.
	Within         []Level
	FromAnnotation *Format // nil for a rule with expressions
	// Number is the one under which fromAnnotation, or managedFieldsManagers, counts as one
	// expression; -1 for other rules.
	Number     int
	FromOwners bool
	// Managers are globs of field managers, whose fields the rule takes; none for another rule.
	Managers []string
	// Owned are the fields in the object that a rule with FromOwners or Managers takes.
	Owned     []Owned
	IsOwn     bool // is in an annotation of the object itself
	Selection *selector.Selection
}

// Expressions returns the expressions of the rule in the order of their evaluation.
func (r Rule) Expressions() []Expression {
	var all []Expression
	for _, level := range r.Within {
		all = append(all, level.Expressions...)
	}
	for _, list := range r.Lists {
		if len(all) == 0 {
			all = slices.Clip(list) // most rules have one list, which may be long
			continue
		}
		all = append(all, list...)
	}
	return all
}

// Conditional returns the rule with those expressions alone that may find a field on one side of a
// pair of objects and not on the other, though both have it: by a value, or by a place in a list.
func (r Rule) Conditional() Rule {
	if r.Lists = nil; r.conditional != nil {
		r.Lists = r.conditional()
	}
	return r
}

// Takes names the field of a rule that takes its fields from elsewhere than its expressions:
// fromOwners; "" for another rule.
func (r Rule) Takes() string {
	switch {
	case r.FromAnnotation != nil:
		return "fromAnnotation"
	case r.FromOwners:
		return "fromOwners"
	case len(r.Managers) > 0:
		return "managedFieldsManagers"
	}
	return ""
}

// Expression is a compiled expression.
type Expression struct {
	expr.Expression
	// Source names the expression, and has its path: ignoreFields[0].jsonPointers[1].
	*Source
	// Number counts the expressions of the functionConfig; -1 for one of an object's own rules.
	Number int
	// Mistake is an obvious mistake in the expression; empty if there is none.
	Mistake    jq.Mistake
	isMeasured bool
}

// Compiler compiles rules and collects their faults.
type Compiler struct {
	Limits jq.Limits
	// Measures is true if the costs of the expressions are recorded.
	Measures bool
	Faults   []report.Fault
	// Ref and File are the functionConfig's.
	Ref  report.Ref
	File report.File
	// current is the expression that is compiled.
	current report.Fault
	// next is the number of the next expression.
	next int
	// isExhausted is true once the expressions took too long to compile, which is reported once.
	isExhausted bool
}

// Rules compiles rules; path tells where the one at an index is.
func (c *Compiler) Rules(configs []Config, path func(i int) string) []Rule {
	compiled := make([]Rule, len(configs))
	for i, r := range configs {
		compiled[i] = c.Rule(r, i, path(i))
	}
	return compiled
}

// Expressions is how many expressions have been compiled, with the rules that count as one.
func (c *Compiler) Expressions() int { return c.next }

// Rule compiles the rule at a path; index is its number in its list.
func (c *Compiler) Rule(r Config, index int, path string) Rule {
	compiled := Rule{
		Index: index, Path: path, Condition: r.Condition, FromAnnotation: r.FromAnnotation.Format, FromOwners: r.FromOwners, Managers: r.Managers,
		Within: c.levels(r.Within, index, path), Number: -1,
	}
	for _, d := range expr.Dialects {
		compiled.Lists = append(compiled.Lists, c.list(d, r.Lists[d.Field], index, path, path))
	}
	if len(r.Within) == 0 {
		compiled.conditional = sync.OnceValue(func() [][]Expression { return conditionalOf(compiled.Lists) })
	}
	none := r.Count() == 0
	switch {
	case r.Managers != nil && (!none || len(r.Within) > 0 || r.FromOwners || r.FromAnnotation.Format != nil):
		c.Fault(path+".managedFieldsManagers",
			"a rule with managedFieldsManagers must have no expressions of its own, no within, no fromOwners and no fromAnnotation")
	case r.Managers != nil && len(r.Managers) == 0:
		c.Fault(path+".managedFieldsManagers", "must name field managers such as kube-controller-manager, found an empty list")
	case r.Managers != nil && slices.Contains(r.Managers, ""):
		c.Fault(path+".managedFieldsManagers", `must name field managers such as kube-controller-manager, found ""`)
	case r.Managers != nil:
		compiled.Number = c.next
		c.next++
	case r.FromAnnotation.Format != nil && len(r.Within) > 0:
		c.Fault(path+".fromAnnotation", "a rule with fromAnnotation must have no within; the annotation says in which strings its fields are")
	case r.FromOwners && (r.FromAnnotation.Format != nil || !none || len(r.Within) > 0):
		c.Fault(path+".fromOwners", "a rule with fromOwners must have no expressions of its own, no within and no fromAnnotation")
	case r.FromOwners:
	case r.FromAnnotation.Format != nil && !none:
		c.Fault(path+".fromAnnotation", "a rule with fromAnnotation must have no expressions of its own")
	case r.FromAnnotation.Format != nil:
		compiled.Number = c.next
		c.next++
	case none:
		c.Missing(path, "a rule must have at least one of "+expr.FieldNames())
	}
	var faults []report.Fault
	compiled.Selection, faults = selector.NewSelection(r.Selectors, r.Exclude, path+".selectors", path+".exclude")
	c.Faults = append(c.Faults, faults...)
	return compiled
}

func conditionalOf(lists [][]Expression) (conditional [][]Expression) {
	for _, list := range lists {
		if list = slices.DeleteFunc(slices.Clone(list), Expression.isPlain); len(list) > 0 {
			conditional = append(conditional, list)
		}
	}
	return conditional
}

// isPlain tells whether the expression has only keys, and * for all elements of a list.
func (e Expression) isPlain() bool {
	segments := e.segments()
	return segments != nil && !slices.ContainsFunc(segments, func(s string) bool { return location.IsDigits(strings.TrimPrefix(s, "-")) })
}

// areKeys tells whether each of the expressions has only keys.
func areKeys(list []Expression) bool {
	return !slices.ContainsFunc(list, func(e Expression) bool { return !e.isPlain() || slices.Contains(e.segments(), "*") })
}

// segments are those of an expression that has only keys, * and indices; nil for another one.
func (e Expression) segments() []string {
	d, _ := expr.ByName(e.dialect.Name)
	return d.SegmentsIn(e.expression)
}

// maxLevels is how many documents inside documents a rule may name.
const maxLevels = 200

// levels compiles the within of a rule.
func (c *Compiler) levels(configs []Within, rule int, rulePath string) []Level {
	path := rulePath + ".within"
	if len(configs) > maxLevels {
		c.Fault(path, "must be at most %d levels deep, found %d", maxLevels, len(configs))
		return nil
	}
	if configs != nil && len(configs) == 0 {
		c.Fault(path, "must name strings, found an empty list")
	}
	var levels []Level
	for i, w := range configs {
		at := path
		if len(configs) > 1 {
			at = path + "[" + strconv.Itoa(i) + "]"
		}
		if w.Count() == 0 {
			c.Missing(at, "must have at least one of "+expr.FieldNames())
		}
		level := Level{Format: w.Format}
		for _, d := range expr.Dialects {
			level.Expressions = append(level.Expressions, c.list(d, w.Lists[d.Field], rule, rulePath, at)...)
		}
		levels = append(levels, level)
	}
	return levels
}

// list compiles the expressions of one dialect, which are at a path.
func (c *Compiler) list(d expr.Dialect, texts []string, rule int, rulePath, path string) []Expression {
	list := make([]Expression, 0, len(texts))
	limits := c.Limits
	limits.Reporter = c
	for i, text := range texts {
		at := path + "." + d.Field + "[" + strconv.Itoa(i) + "]"
		c.current = report.Fault{Path: at, Tags: map[string]string{"selector": d.Name, "expression": text, "rule": strconv.Itoa(rule)}}
		parsed, err := d.Parse(text, limits)
		if c.isExhausted && guard.IsLimit(err) {
			continue
		}
		if err != nil {
			c.isExhausted = c.isExhausted || guard.IsLimit(err)
			c.Faults = append(c.Faults, c.fault(err))
			continue
		}
		compiled := Expression{
			Expression: parsed, Number: c.next, isMeasured: c.Measures,
			Source: &Source{Path: at, RulePath: rulePath, Rule: rule, dialect: d.Names, expression: text},
		}
		c.next++
		if d.Mistake != nil {
			compiled.Mistake, _ = d.Mistake(text)
		}
		list = append(list, compiled)
	}
	return list
}

// fault is the fault of the expression that is compiled.
func (c *Compiler) fault(err error) report.Fault {
	now := c.current
	now.Message = err.Error()
	if syntax, ok := errors.AsType[*fault.SyntaxError](err); ok {
		now.Detail = syntax.Caret()
	}
	return now
}

// Report implements guard.Reporter.
func (c *Compiler) Report(err error) report.Result {
	return report.FaultResults([]report.Fault{c.fault(err)}, c.Ref, c.File)[0]
}

// Missing keeps a fault: something must be at the path and is not.
func (c *Compiler) Missing(path, message string) {
	c.Faults = append(c.Faults, report.Fault{Path: path, Message: message, IsMissing: true})
}

// Fault keeps a fault.
func (c *Compiler) Fault(path, format string, args ...any) {
	c.Faults = append(c.Faults, report.Fault{Path: path, Message: fmt.Sprintf(format, args...)})
}
