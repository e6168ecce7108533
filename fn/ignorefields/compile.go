package ignorefields

import (
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/report"
)

// rule is a compiled rule.
type rule struct {
	index     int
	path      string // ignoreFields[0]
	condition string
	// lists are the jsonPaths, the jsonPointers and the jqPathExpressions.
	lists          [3][]expression
	fromAnnotation bool
	number         int // counts matches of fromAnnotation as of an expression
	selection      *match.Selection
}

// expression is a compiled expression.
type expression struct {
	locate.Expression
	// source names the expression, and has its path: ignoreFields[0].jsonPointers[1].
	*source
	// number counts through the expressions of the functionConfig; -1 for one
	// of an object's own rules.
	number int
	// parts are those of a jq expression with commas between them.
	parts []part
	// comparison is the expression as it is meant where it assigns inside select.
	comparison string
	// matched tells whether it has found something in an object already, so that nobody asks why it found nothing in
	// another one; nil where that is asked for each object.
	matched *atomic.Bool
}

// numbers are those of the expression and of its parts.
func (e expression) numbers() []int {
	numbers := []int{e.number}
	for _, p := range e.parts {
		numbers = append(numbers, p.number)
	}
	return numbers
}

// part is a part of an expression, which is to find something by itself.
type part struct {
	text string
	expression
}

func (e expression) needsHint() bool { return e.matched == nil || !e.matched.Load() }

func (e expression) noteMatch() {
	if e.matched != nil && !e.matched.Load() {
		e.matched.Store(true)
	}
}

// compiler compiles rules and collects their faults.
type compiler struct {
	limits jq.Limits
	// allHints is true where every object that an expression finds nothing in is reported.
	allHints bool
	faults   []report.Fault
	// next is the number of the next expression.
	next int
	// isExhausted is true where the expressions take too much to compile, which
	// is reported once.
	isExhausted bool
}

// rules compiles the rules that stand at a path. In the flat form there is one
// rule, whose lists stand at the path itself.
func (c *compiler) rules(rules []Rule, at paths) []rule {
	compiled := make([]rule, len(rules))
	for i, r := range rules {
		path := at.rules + "[" + strconv.Itoa(i) + "]"
		if at.flat {
			path = at.rules
		}
		compiled[i] = c.rule(r, i, path)
	}
	return compiled
}

func (c *compiler) rule(r Rule, index int, path string) rule {
	compiled := rule{index: index, path: path, condition: r.Condition, fromAnnotation: r.FromAnnotation, number: -1}
	compiled.lists = [3][]expression{
		c.list(r.JSONPaths, index, path, ".jsonPaths", locate.JSONPath, locate.ParseJSONPath),
		c.list(r.JSONPointers, index, path, ".jsonPointers", locate.JSONPointer, locate.ParseJSONPointer),
		c.list(r.JQPathExpressions, index, path, ".jqPathExpressions", locate.JQ, c.parseJQ),
	}
	for _, e := range compiled.expressions() {
		e.ignored = e.tags(report.FieldsIgnored, r.Condition)
	}
	none := len(r.JSONPaths)+len(r.JSONPointers)+len(r.JQPathExpressions) == 0
	switch {
	case r.FromAnnotation && !none:
		c.fault(path+".fromAnnotation", "a rule with fromAnnotation must have no expressions of its own")
	case r.FromAnnotation:
		compiled.number = c.next
		c.next++
	case none:
		c.fault(path, "a rule must have at least one of jsonPaths, jsonPointers or jqPathExpressions")
	}
	var faults []report.Fault
	compiled.selection, faults = match.NewSelection(r.Selectors, r.Exclude, path+".selectors", path+".exclude")
	c.faults = append(c.faults, faults...)
	return compiled
}

func (c *compiler) parseJQ(text string) (locate.Expression, error) {
	return locate.ParseJQ(text, c.limits)
}

func (c *compiler) list(
	texts []string, rule int, rulePath, field, dialect string, parse func(string) (locate.Expression, error),
) []expression {
	var list []expression
	for i, text := range texts {
		at := rulePath + field + "[" + strconv.Itoa(i) + "]"
		parsed, err := parse(text)
		if c.isExhausted && isTooMuch(err) {
			continue
		}
		if err != nil {
			c.isExhausted = c.isExhausted || isTooMuch(err)
			c.faults = append(c.faults, report.Fault{Path: at, Message: err.Error(), Detail: caret(err), Tags: map[string]string{
				"selector": dialect, "expression": text, "rule": strconv.Itoa(rule),
			}})
			continue
		}
		compiled := expression{
			Expression: parsed, number: c.next,
			source: &source{path: at, rulePath: rulePath, rule: rule, dialect: dialect, expression: text},
		}
		if !c.allHints {
			compiled.matched = new(atomic.Bool)
		}
		c.next++
		if dialect == locate.JQ {
			compiled.comparison, _ = jq.ComparisonFix(text)
			compiled.parts = c.parts(compiled)
		}
		list = append(list, compiled)
	}
	return list
}

// parts compiles the parts of a jq expression. Where one does not compile by
// itself, the expression has none.
func (c *compiler) parts(whole expression) []part {
	var parts []part
	next := c.next
	for _, p := range jq.Parts(whole.String()) {
		parsed, err := c.parseJQ(p.Expression)
		if err != nil {
			return nil
		}
		compiled := expression{Expression: parsed, source: whole.source, number: next}
		if whole.matched != nil {
			compiled.matched = new(atomic.Bool)
		}
		parts = append(parts, part{text: p.Text, expression: compiled})
		next++
	}
	c.next = next
	return parts
}

func (c *compiler) fault(path, format string, args ...any) {
	c.faults = append(c.faults, report.Fault{Path: path, Message: fmt.Sprintf(format, args...)})
}

func isTooMuch(err error) bool {
	_, ok := errors.AsType[*jq.CompilationError](err)
	return ok
}

// caret returns the lines that show where a syntax error is, or "".
func caret(err error) string {
	if syntax, ok := errors.AsType[*locate.SyntaxError](err); ok {
		return syntax.Caret()
	}
	return ""
}
