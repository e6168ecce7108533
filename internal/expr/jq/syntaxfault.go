package jq

import (
	"fmt"
	"regexp"
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

// parseFault adds the place and what was expected to an error of gojq's parser, which tells the
// token that it did not expect, and the expression that may be meant.
func parseFault(expression string, err *gojq.ParseError) *SyntaxError {
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
	case slices.Contains(betweenFilters, err.Token) || strings.Trim(err.Token, "|,;:=!<>+-*/%?") == "":
		fault.Reason += ", there must be a filter such as .a"
	case start > 0 && startsFilter.MatchString(err.Token):
		fault.Reason += ", there must be an operator such as | before it"
	}
	fault.Repaired = compiled(inOwnSpelling(expression))
	for _, other := range otherSpellings {
		if other.token == err.Token && (strings.HasPrefix(expression[start:], other.text) || strings.HasSuffix(expression[:start+1], other.text)) {
			fault.Fix = other.fix
			break
		}
	}
	if err.Token == "/" && start == 0 {
		fault.Fix = "a JSON Pointer belongs in jsonPointers"
	}
	if err.Token == "" && fault.Repaired == "" {
		fault.Repaired = withClosers(expression, open)
	}
	return fault
}

// faultAt is the fault of an expression at an offset in bytes.
func faultAt(expression string, offset int, reason string) *SyntaxError {
	fault := &SyntaxError{Expression: expression, Reason: reason}
	fault.Line, fault.Column = hint.Position(expression, offset)
	return fault
}

// betweenFilters are the keywords between two filters or at the end of one.
var betweenFilters = []string{"then", "elif", "else", "end", "as", "catch", "and", "or"}

var startsFilter = regexp.MustCompile(`^[A-Za-z._@(\[{]`)

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

// otherSpellings are what other languages write for what jq has: the token at which jq's parser
// stops, the text that it is in, and what to say.
var otherSpellings = []struct{ token, text, fix string }{
	{"'", "'", `a string must be in double quotes: "a"`},
	{"$", "$.", "jq has no $ for the root"},
	{"~", "~", `a regular expression is written test("...")`},
	{"&", "&&", "write 'and' for &&"},
	{"|", "||", "write 'or' for ||"},
	{"!", "!", "write '| not' for !"},
}

var ownSpellings = strings.NewReplacer("'", `"`, "&&", " and ", "||", " or ", "[*]", "[]", "$.", ".")

// inOwnSpelling returns an expression with jq's own spelling for what other languages write
// otherwise, outside strings.
func inOwnSpelling(expression string) string {
	pieces := strings.SplitAfter(expression, `"`)
	for i := 0; i < len(pieces); i += 2 {
		pieces[i] = ownSpellings.Replace(pieces[i])
	}
	return strings.NewReplacer("  and  ", " and ", "  or  ", " or ").Replace(strings.Join(pieces, ""))
}

// compiled returns an expression if it compiles, else "".
func compiled(expression string) string {
	if !Compiles(expression) {
		return ""
	}
	return expression
}

// withClosers returns the expression with what is open closed at its end; "" where that does not
// compile, or nothing is in it: .spec[] is not what the author of .spec[ wants to name.
func withClosers(expression string, open []opening) string {
	if len(open) == 0 || strings.TrimSpace(expression[open[len(open)-1].offset+1:]) == "" {
		return ""
	}
	if open[len(open)-1].what == '"' {
		if expression = withQuote(expression, open[len(open)-1].offset+1); expression == "" {
			return ""
		}
		open = unclosed(expression, len(expression))
	}
	end := map[byte]string{'(': ")", '[': "]", '{': "}", '"': `"`}
	for _, o := range slices.Backward(open) {
		expression += end[o.what]
	}
	return compiled(expression)
}

// withQuote ends the string that begins at an offset before the brackets that the expression ends
// in; "" where other brackets may show that it ends before.
func withQuote(expression string, start int) string {
	text := strings.TrimRight(expression, " )]}")
	if strings.ContainsAny(text[start:], ")]}") {
		return ""
	}
	return text + `"` + expression[len(text):]
}

// Compiles tells whether a text is a jq expression.
func Compiles(expression string) bool {
	query, err := gojq.Parse(expression)
	if err != nil {
		return false
	}
	_, err = gojq.Compile(query)
	return err == nil
}

// opening is something that was opened in an expression: a bracket, or a string.
type opening struct {
	offset int
	what   byte
}

// unclosed returns what is still open after the first end bytes of the expression, the innermost
// last. Comments and text in strings don't count.
func unclosed(expression string, end int) []opening {
	var open []opening
	top := func() byte {
		if len(open) == 0 {
			return 0
		}
		return open[len(open)-1].what
	}
	for i := 0; i < min(end, len(expression)); i++ {
		c := expression[i]
		switch {
		case top() == '"' && c == '\\':
			if i++; i < len(expression) && expression[i] == '(' {
				open = append(open, opening{i, '('})
			}
		case c == '"':
			if top() == '"' {
				open = open[:len(open)-1]
			} else {
				open = append(open, opening{i, '"'})
			}
		case top() == '"':
		case c == '#':
			for i+1 < len(expression) && expression[i+1] != '\n' {
				i++
			}
		case strings.IndexByte("([{", c) >= 0:
			open = append(open, opening{i, c})
		case c != 0 && top() == closes[c]:
			open = open[:max(len(open)-1, 0)]
		}
	}
	return open
}

var closes = map[byte]byte{')': '(', ']': '[', '}': '{'}

// nameIn finds a name as a whole in an expression. What precedes it is its first group.
func nameIn(name string) *regexp.Regexp {
	return regexp.MustCompile(`(^|[^\w.$:])` + regexp.QuoteMeta(name) + `\b`)
}

// positionOfName returns where name is in the expression. It returns 0, 0 if it is there more than
// once, as gojq does not say which one it means.
func positionOfName(expression, name string) (line, column int) {
	found := nameIn(name).FindAllStringSubmatchIndex(expression, 2)
	if len(found) != 1 {
		return 0, 0
	}
	return hint.Position(expression, found[0][3])
}

// fixUndefined knows what is often meant by a name that is no function: the end of a key that must
// be quoted, a text, or a field without its dot.
func fixUndefined(query *gojq.Query, expression, name string) (fix, repaired string) {
	first := query
	for first.Term == nil && first.Left != nil { // definitions alone have neither
		first = first.Left
	}
	canBeField, canBeText := isName(first, name), false
	for q := range all[*gojq.Query](query) {
		switch {
		case comparisons[q.Op]:
			canBeField = canBeField || isName(q.Left, name)
			canBeText = canBeText || isName(q.Right, name)
		case (q.Op == gojq.OpSub || q.Op == gojq.OpDiv) && isName(q.Right, name) && repaired == "":
			repaired = quoteKey(q.Left, q.Op.String()+name)
		}
	}
	if repaired != "" {
		return "a key with other characters than letters, digits and _ must be quoted", repaired
	}
	if canBeText {
		return "a string must be in double quotes", compiled(nameIn(name).ReplaceAllString(expression, `$1"`+name+`"`))
	}
	if repaired = compiled(nameIn(name).ReplaceAllString(expression, "$1."+name)); repaired == "" || !canBeField {
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
	if len(names) == 0 || !isBare(path, gojq.TermTypeIdentity) {
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
