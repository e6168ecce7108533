package jsonpath

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// onlyExists is the operator that client-go gives to a filter without one.
const onlyExists = "exists"

// condition is what a filter asks of a list element.
type condition struct {
	left, right operand
	operator    string
}

// operand is one side of a comparison: a path from the list element, or, where steps is nil, a
// literal.
type operand struct {
	steps []jsonStep
	// names are the steps if they are plain names, else nil.
	names   []string
	literal datum
}

// datum is a value to compare.
type datum struct {
	// kind is the type of data as package tree names it.
	kind   string
	scalar any
}

// condition compiles a filter. The text is what is between its parentheses.
func (p *pathParser) condition(node *jsonpath.FilterNode, text string) (*condition, error) {
	if strings.TrimSpace(text) == "" {
		return nil, p.fail(`a filter must have a condition, as in [?(@.name=="web")]`, "")
	}
	at := strings.IndexAny(text, "!<>=")
	if node.Operator == onlyExists {
		if at >= 0 {
			return nil, p.fail("a comparison must have something on both sides, found "+text, "")
		}
		left, err := p.operand(node.Left, text)
		return &condition{left: left, operator: onlyExists}, err
	}
	switch node.Operator {
	case "==", "!=", "<", "<=", ">", ">=":
	default:
		return nil, p.fail(fmt.Sprintf("a filter must compare with ==, !=, <, <=, > or >=, found %q", node.Operator), "")
	}
	left, err := p.operand(node.Left, text[:at])
	if err != nil {
		return nil, err
	}
	right, err := p.operand(node.Right, text[at+len(node.Operator):])
	return &condition{left: left, right: right, operator: node.Operator}, err
}

// operand compiles one side of a comparison.
func (p *pathParser) operand(list *jsonpath.ListNode, text string) (operand, error) {
	text = strings.TrimSpace(text)
	if err := p.checkOperand(text); err != nil {
		return operand{}, err
	}
	if len(list.Nodes) == 1 {
		if literal, ok := literalValue(list.Nodes[0], text); ok {
			return operand{literal: literal}, nil
		}
	}
	steps := []jsonStep{}
	for _, node := range list.Nodes {
		step, err := p.operandStep(node, text)
		if err != nil {
			return operand{}, err
		}
		steps = append(steps, step)
	}
	return operand{steps: steps, names: plainNames(steps)}, nil
}

// checkOperand refuses the text that client-go's parser would drop or take for a part of a name.
func (p *pathParser) checkOperand(text string) error {
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		if end := quoteEnd(text); end < len(text) {
			return p.fail(fmt.Sprintf("a filter must compare with one value, found %s", text), noLogic+underJQ)
		}
		return nil
	}
	if unescapedBrace(text) >= 0 {
		return p.fail(braceInName, "")
	}
	if strings.Contains(text, "[]") {
		return p.fail("[] must name an element", "write [0] for the first")
	}
	if i := strings.IndexAny(text, "!<>="); i >= 0 {
		return p.fail("a filter must have one comparison, found a second at "+text[i:], noLogic+underJQ)
	}
	return nil
}

const braceInName = `"}" in a name must be escaped with a backslash`

const noLogic = "Kubernetes JSONPath has no && and ||; "

// quoteEnd returns the length of the quoted string that text begins with, as client-go finds its
// end.
func quoteEnd(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] == text[0] && text[i-1] != '\\' {
			return i + 1
		}
	}
	return len(text)
}

// unescapedBrace returns where a `}` is that no backslash precedes, or -1.
func unescapedBrace(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '}':
			return i
		}
	}
	return -1
}

// literalValue returns the value of a literal; false if the node is none.
func literalValue(node jsonpath.Node, text string) (datum, bool) {
	switch node := node.(type) {
	case *jsonpath.TextNode:
		return datum{tree.String, node.Text}, true
	case *jsonpath.BoolNode:
		return datum{tree.Boolean, node.Value}, true
	case *jsonpath.IntNode:
		return datum{tree.Number, node.Value}, true
	case *jsonpath.FloatNode:
		if whole, ok := new(big.Int).SetString(text, 10); ok {
			return datum{tree.Number, whole}, true
		}
		return datum{tree.Number, node.Value}, true
	}
	return datum{}, false
}

func (p *pathParser) operandStep(node jsonpath.Node, text string) (jsonStep, error) {
	switch node := node.(type) {
	case *jsonpath.IdentifierNode:
		return jsonStep{}, p.fail(
			fmt.Sprintf("%q in a filter must be a path from @, a string in quotes, a number, true or false", text),
			fmt.Sprintf("write %q or @.%s", node.Name, node.Name))
	case *jsonpath.FieldNode:
		if node.Value == "" {
			return jsonStep{}, p.fail(`"." must be followed by a name`, "")
		}
	}
	if node.Type() == jsonpath.NodeRecursive || canBeInBrackets(node) {
		return p.compile(node, text)
	}
	return jsonStep{}, p.fail(fmt.Sprintf("%q in a filter must be one path or one value", text), "")
}

// holds tells whether the condition of the filter holds for the list element at c. Where a side
// finds nothing it does not hold.
func (w *pathWalk) holds(c *reachedNode, filter *jsonStep) (bool, error) {
	left, found, err := w.evaluate(c, filter.condition.left, filter)
	if err != nil || !found || filter.condition.operator == onlyExists {
		return found, err
	}
	right, found, err := w.evaluate(c, filter.condition.right, filter)
	if err != nil || !found {
		return false, err
	}
	holds, cause := compare(left, filter.condition.operator, right)
	if cause != "" {
		cause += filter.literalFix(left)
		return false, w.failAt(c, func(place string) string {
			return fmt.Sprintf("%s cannot be applied to %s: %s", filter.source, place, cause)
		})
	}
	return holds, nil
}

// literals match the texts of literals without quotes in a filter, by their type.
var literals = map[string]func() *regexp.Regexp{
	tree.Number:  words.Pattern(`^-?[0-9]+(\.[0-9]+)?$`),
	tree.Boolean: words.Pattern(`^(true|false)$`),
}

// literalFix says how to write a filter that compares a number or a boolean with its text in
// quotes; "" for another filter.
func (s *jsonStep) literalFix(value datum) string {
	right := s.condition.right
	text, isText := right.literal.scalar.(string)
	if right.steps != nil || !isText || literals[value.kind] == nil || !literals[value.kind]().MatchString(text) {
		return ""
	}
	for _, quote := range []string{`"`, "'"} {
		if before, ok := strings.CutSuffix(s.source, quote+text+quote+")]"); ok {
			return "; write " + before + text + ")]"
		}
	}
	return ""
}

// evaluate returns the value of an operand; false if a path finds nothing.
func (w *pathWalk) evaluate(c *reachedNode, o operand, filter *jsonStep) (datum, bool, error) {
	if o.steps == nil {
		return o.literal, true, nil
	}
	if o.names != nil {
		n, err := w.lookUp(c.node, o.names)
		return datum{tree.Type(n), tree.Scalar(n)}, n != nil, err
	}
	inner := newPathWalk(w.expression, o.steps, w.budget)
	places, err := inner.walk([]*reachedNode{c}, o.steps)
	if err != nil || len(places) == 0 {
		return datum{}, false, err
	}
	if len(places) > 1 && filter.condition.operator != onlyExists {
		return datum{}, false, w.failAt(c, func(place string) string {
			return fmt.Sprintf("%s must compare one value, found %d in %s", filter.source, len(places), place)
		})
	}
	n := places[0].node
	return datum{tree.Type(n), tree.Scalar(n)}, true, nil
}

// lookUp returns what names lead to from n, as walk does; nil for nothing.
func (w *pathWalk) lookUp(n *tree.Node, names []string) (*tree.Node, error) {
	for _, name := range names {
		if !w.budget.Spend(hint.LookupWork(n)) {
			return nil, w.fail(dialect.TooMuchWork)
		}
		if n = tree.Lookup(n, name); n == nil {
			return nil, nil
		}
		if !w.budget.Spend(dialect.PlaceWork) {
			return nil, w.fail(dialect.TooMuchWork)
		}
	}
	return n, nil
}

// compare compares two values, or says why they can't be.
func compare(left datum, operator string, right datum) (holds bool, cause string) {
	if left.kind != right.kind {
		return false, fmt.Sprintf("%s must not be compared with %s", dialect.Article(left.kind), dialect.Article(right.kind))
	}
	order := 0
	switch left.kind {
	case tree.String:
		order = strings.Compare(left.scalar.(string), right.scalar.(string))
	case tree.Number:
		order = tree.CompareNumbers(left.scalar, right.scalar)
	case tree.Boolean:
		if operator != "==" && operator != "!=" {
			return false, "booleans must be compared with == or !="
		}
		if left.scalar != right.scalar {
			order = 1
		}
	default:
		return false, fmt.Sprintf("%s must not be compared", dialect.Article(left.kind))
	}
	return ordered(order, operator), ""
}

// ordered tells whether the operator holds for two values in the given order.
func ordered(order int, operator string) bool {
	switch operator {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}
