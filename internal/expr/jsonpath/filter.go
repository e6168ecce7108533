package jsonpath

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"k8s.io/client-go/util/jsonpath"

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

// operand is one side of a comparison: a path from the list element, or a literal.
type operand struct {
	steps   []jsonStep
	literal *tree.Node // nil for a path
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
		if literal := literalValue(list.Nodes[0], text); literal != nil {
			return operand{literal: literal}, nil
		}
	}
	var steps []jsonStep
	for _, node := range list.Nodes {
		step, err := p.operandStep(node, text)
		if err != nil {
			return operand{}, err
		}
		steps = append(steps, step)
	}
	return operand{steps: steps}, nil
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

// literalValue returns the value of a literal; nil if the node is none.
func literalValue(node jsonpath.Node, text string) *tree.Node {
	switch node := node.(type) {
	case *jsonpath.TextNode:
		return tree.NewString(node.Text)
	case *jsonpath.BoolNode:
		return tree.FromValue(node.Value)
	case *jsonpath.IntNode:
		return tree.FromValue(node.Value)
	case *jsonpath.FloatNode:
		if whole, ok := new(big.Int).SetString(text, 10); ok {
			return tree.FromValue(whole)
		}
		return tree.FromValue(node.Value)
	}
	return nil
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
	left, err := w.evaluate(c, filter.condition.left, filter)
	if err != nil || left == nil || filter.condition.operator == onlyExists {
		return left != nil, err
	}
	right, err := w.evaluate(c, filter.condition.right, filter)
	if err != nil || right == nil {
		return false, err
	}
	holds, cause := compare(left, filter.condition.operator, right)
	if cause != "" {
		failed := w.failAt(c, filter, func(place string) string {
			return fmt.Sprintf("%s cannot be applied to %s: %s", filter.source, place, cause)
		})
		failed.Fix = filter.literalFix(left)
		return false, failed
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
func (s *jsonStep) literalFix(value *tree.Node) string {
	literal, pattern := s.condition.right.literal, literals[tree.Type(value)]
	if literal == nil || tree.Type(literal) != tree.String || pattern == nil || !pattern().MatchString(literal.Text()) {
		return ""
	}
	for _, quote := range []string{`"`, "'"} {
		if before, ok := strings.CutSuffix(s.source, quote+literal.Text()+quote+")]"); ok {
			return before + literal.Text() + ")]"
		}
	}
	return ""
}

// evaluate returns the value of an operand; nil if a path finds nothing.
func (w *pathWalk) evaluate(c *reachedNode, o operand, filter *jsonStep) (*tree.Node, error) {
	if o.literal != nil {
		return o.literal, nil
	}
	places, err := newPathWalk(w.in, w.expression, o.steps, w.budget, w.room).walk([]*reachedNode{c}, o.steps)
	if err != nil || len(places) == 0 {
		return nil, err
	}
	if len(places) > 1 && filter.condition.operator != onlyExists {
		return nil, w.failAt(c, filter, func(place string) string {
			return fmt.Sprintf("%s must compare one value, found %d in %s", filter.source, len(places), place)
		})
	}
	return places[0].node, nil
}

// compare compares two values, or says why they can't be.
func compare(left *tree.Node, operator string, right *tree.Node) (holds bool, cause string) {
	kind := tree.Type(left)
	if other := tree.Type(right); kind != other {
		return false, fmt.Sprintf("%s must not be compared with %s", tree.Article(kind), tree.Article(other))
	}
	order := 0
	switch kind {
	case tree.String:
		order = strings.Compare(left.Text(), right.Text())
	case tree.Number:
		order = tree.CompareNumbers(tree.Scalar(left), tree.Scalar(right))
	case tree.Boolean:
		if operator != "==" && operator != "!=" {
			return false, "booleans must be compared with == or !="
		}
		if tree.Scalar(left) != tree.Scalar(right) {
			order = 1
		}
	default:
		return false, fmt.Sprintf("%s must not be compared", tree.Article(kind))
	}
	switch operator {
	case "==":
		return order == 0, ""
	case "!=":
		return order != 0, ""
	case "<":
		return order < 0, ""
	case "<=":
		return order <= 0, ""
	case ">":
		return order > 0, ""
	}
	return order >= 0, ""
}
