package jq

import (
	"fmt"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
)

// endings are what an expression may lack at its end, with what to call it.
var endings = []struct{ text, name string }{
	{".a", "a filter such as .a"},
	{"end", "an 'end'"},
	{".a end", "a filter such as .a and an 'end'"},
	{"then .a end", "a 'then'"},
	{"; .a", "a ';' and a filter such as .a"},
	{"| .a", "a '|' and a filter such as .a"},
	{"(.a; .a)", "a start and a step such as (0; . + 1)"},
	{"$a | .a", "a variable such as $a"},
	{"$a (.a; .a)", "a variable such as $a"},
	{`["a"]`, "the name of a field"},
	{".a; .a", "a filter such as .a, a ';' and another filter"},
	{".a then .a end", "a filter such as .a, a 'then' and an 'end'"},
	{".a as $a (.a; .a)", "a source, a variable, a start and a step such as .[] as $a (0; . + $a)"},
	{"f: .a; .a", "a name, a ':', a filter such as .a, a ';' and another filter"},
	{": .a; .a", "a ':' and a filter such as .a"},
}

const usualEnding = "a filter such as .a, an 'end' or a ';'"

// maxExplained is the length up to which an expression is parsed with each of the endings.
const maxExplained = 4 << 10

// missingAtEnd says what must follow at the end of an expression that gojq takes so far.
func missingAtEnd(expression string) string {
	if len(expression) > maxExplained {
		return usualEnding
	}
	for _, ending := range endings {
		if _, err := gojq.Parse(expression + "\n" + ending.text); err == nil {
			return ending.name
		}
	}
	return usualEnding
}

// explainParseError adds the place and what was expected to an error of gojq's parser, which tells
// the token that it did not expect.
func explainParseError(expression string, err *gojq.ParseError) *SyntaxError {
	start := max(err.Offset-len(err.Token), 0)
	fault := faultAt(expression, start, err.Error())
	open := unclosed(expression, start)
	switch {
	case err.Token == "" && len(open) > 0:
		last := open[len(open)-1]
		line, column := hint.Position(expression, last.offset)
		fault.Reason += fmt.Sprintf(", the '%c' at line %d, column %d must be closed", last.what, line, column)
	case err.Token == "":
		fault.Reason += ", " + missingAtEnd(expression) + " must follow"
	case strings.Contains(")]}", err.Token):
		fault.Reason += closerReason(err.Token, open)
	case needsLeft(err.Token):
		fault.Reason += ", there must be a filter such as .a"
	case start > 0 && startsFilter(err.Token[0]):
		fault.Reason += ", there must be an operator such as | before it"
	}
	fault.Fix, fault.Repaired = fixToken(expression, err.Token, start), repair(expression)
	if err.Token == "" && fault.Repaired == "" {
		fault.Repaired = withClosers(expression, open)
	}
	return fault
}

func closerReason(token string, open []opening) string {
	if len(open) == 0 {
		return ", there is nothing that it closes"
	}
	last := open[len(open)-1]
	if closes[token[0]] != last.what {
		return fmt.Sprintf(", it must close '%c' first", last.what)
	}
	return ", there must be a filter such as .a before it"
}

// needsLeft tells whether a token is between two filters or ends one.
func needsLeft(token string) bool {
	switch token {
	case "then", "elif", "else", "end", "as", "catch", "and", "or":
		return true
	}
	return strings.Trim(token, "|,;:=!<>+-*/%?") == ""
}

// startsFilter tells whether a token that begins with c begins a filter.
func startsFilter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("._@([{", c) >= 0
}

// fixToken knows what is often meant by a token that jq does not take.
func fixToken(expression, token string, start int) string {
	switch {
	case token == "'":
		return `a string must be in double quotes: "a"`
	case token == "$" && strings.HasPrefix(expression[start:], "$."):
		return "jq has no $ for the root"
	case token == "/" && start == 0:
		return "a JSON Pointer belongs in jsonPointers"
	case token == "~":
		return `a regular expression is written test("...")`
	case token == "&" && strings.HasPrefix(expression[start:], "&&"):
		return "write 'and' for &&"
	case token == "|" && strings.HasSuffix(expression[:start], "|"):
		return "write 'or' for ||"
	case token == "!":
		return "write '| not' for !"
	}
	return ""
}

// fixUndefined knows what is often meant by a name that is no function: the end of a key that must
// be quoted, or a field without its dot.
func fixUndefined(query *gojq.Query, expression, name string) (fix, repaired string) {
	canBeField, canBeText := false, false
	v := visitor{query: func(q *gojq.Query) {
		switch q.Op {
		case gojq.OpSub, gojq.OpDiv:
			if isName(q.Right, name) && repaired == "" {
				repaired = quoteKey(q.Left, q.Op.String()+name)
			}
		case gojq.OpEq, gojq.OpNe, gojq.OpLt, gojq.OpLe, gojq.OpGt, gojq.OpGe:
			canBeField = canBeField || isName(q.Left, name) || isName(q.Right, name)
			canBeText = canBeText || isName(q.Right, name)
		}
	}}
	v.walk(query, 0)
	if repaired != "" {
		return "a key with other characters than letters, digits and _ must be quoted", repaired
	}
	if canBeText {
		return "a string must be in double quotes", withQuotes(expression, name)
	}
	first := query
	for first.Term == nil && first.Left != nil { // definitions alone have neither
		first = first.Left
	}
	if repaired = withDots(expression, name); repaired == "" || !canBeField && !isName(first, name) {
		return "", ""
	}
	return "a field begins with a dot", repaired
}

func isName(q *gojq.Query, name string) bool {
	return q.Term != nil && q.Term.Func != nil && q.Term.Func.Name == name && len(q.Term.Func.Args) == 0
}

// dottedKeys are the fields whose keys often have dots.
var dottedKeys = []string{"annotations", "labels", "matchLabels", "nodeSelector", "data"}

// quoteKey quotes a key that gojq took for arithmetic: the path before the operator ends in the
// beginning of the key, rest is what follows.
func quoteKey(path *gojq.Query, rest string) string {
	for path.Term == nil && path.Right != nil {
		path = path.Right
	}
	names := cutPrefix(path)
	if len(names) == 0 || !isIdentity(path) {
		return ""
	}
	key := len(names) - 1
	for i, name := range names[:key] {
		if slices.Contains(dottedKeys, name) {
			key = i + 1
			break
		}
	}
	var fixed strings.Builder
	for _, name := range names[:key] {
		fixed.WriteString("." + name)
	}
	if key == 0 {
		fixed.WriteByte('.')
	}
	return fmt.Sprintf(`%s["%s"]`, &fixed, strings.Join(names[key:], ".")+rest)
}
