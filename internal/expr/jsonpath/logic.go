package jsonpath

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/words"
)

const underJQ = "write a jq expression under jqPathExpressions"

// maxRewritten is the length of the longest expression that a hint rewrites.
const maxRewritten = 1000

// asJQ writes a path with a filter that Kubernetes JSONPath does not have, with && and || or the
// match =~, as a jq expression; underJQ if it can't be written. The filter has inside as its
// condition.
func asJQ(expression, inside string) string {
	before, after, found := strings.Cut(expression, inside)
	if !found || len(expression) > maxRewritten || strings.Contains(after, "[?(") {
		return underJQ
	}
	operands, operators := logicParts(inside)
	var template string
	var conditions []string
	for _, operand := range operands {
		operand, isMatch := strings.CutSuffix(matchPattern().ReplaceAllString(operand, `$1=="$2"~`), "~")
		if strings.ContainsAny(operand, "&|~") {
			return underJQ // it would be parsed, and come here, again
		}
		text, condition, ok := translatedFilter(before + operand + after)
		if !ok {
			return underJQ
		}
		if path, literal, ok := strings.Cut(condition, " == "); ok && isMatch {
			condition = path + " | strings | test(" + literal + ")"
		}
		if strings.Contains(condition, "|") && len(operands) > 1 {
			condition = "(" + condition + ")"
		}
		template, conditions = text, append(conditions, condition)
	}
	joined := conditions[0]
	for i, operator := range operators {
		joined += operator + conditions[i+1]
	}
	return "write the jq expression '" + strings.Replace(template, marker, joined, 1) + "' under jqPathExpressions"
}

// matchPattern finds a match with a regular expression in quotes or slashes.
var matchPattern = words.Pattern(`^(.*?)\s*=~\s*["'/]([^"'\\]*)["'/]\s*$`)

// logicParts cuts a condition at its && and ||, and returns these as jq writes them.
func logicParts(condition string) (operands, operators []string) {
	for {
		i := strings.IndexAny(condition, "&|")
		if i < 0 || i+2 > len(condition) || condition[i] != condition[i+1] {
			return append(operands, strings.TrimSpace(condition)), operators
		}
		operator := " and "
		if condition[i] == '|' {
			operator = " or "
		}
		operands, operators = append(operands, strings.TrimSpace(condition[:i])), append(operators, operator)
		condition = condition[i+2:]
	}
}

// marker stands for a condition in a jq expression.
const marker = "\x00"

// translatedFilter translates a path with one filter to jq, and cuts the condition out of it.
func translatedFilter(expression string) (template, condition string, ok bool) {
	into, text, err := Translate(expression)
	if err != nil || into != dialect.JQ.Name {
		return "", "", false
	}
	before, rest, ok := strings.Cut(text, "select(")
	end := closing(rest)
	if !ok || end < 0 || !jq.Compiles(text) {
		return "", "", false
	}
	return before + "select(" + marker + rest[end:], rest[:end], true
}

// closing returns the offset of the parenthesis that closes the one before text; -1 if there is
// none outside strings.
func closing(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			return i
		case c == ')':
			depth--
		}
	}
	return -1
}
