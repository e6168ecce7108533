package jsonpath

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/words"
)

// refuse says why no step of a path begins as rest does.
func (p *pathParser) refuse(rest string) error {
	word := rest[:nameLength(rest, 0)]
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case first == '/':
		return p.fail(`must start with ".", found "/"`, p.pointerAsPath())
	case word == "range" || word == "end":
		return p.fail(fmt.Sprintf("%q repeats text and selects no field", word), "write [*] for each element of a list")
	case strings.ContainsRune(`{}"'`, first) || strings.Contains(rest, "{"):
		return p.fail(fmt.Sprintf("must be one path, found text or a second block at %q", dialect.Preview(rest)), "")
	case first == '|' || strings.Contains(word, "("):
		return p.fail(fmt.Sprintf("%q selects no field", dialect.Preview(rest)), "write jq expressions under jqPathExpressions")
	case first == '*':
		return p.fail(`"*" must follow its own dot or be in brackets`, "write .* or [*], and ...* at any depth")
	case isWordRune(first) && len(p.steps) == 0:
		withDot := hint.Mistake{Fix: hint.Write, Correct: func(text string) string {
			return dialect.Parsed("."+strings.TrimRight(text, " }"), parseSteps)
		}}
		return p.fail(fmt.Sprintf(`must start with ".", found %q`, word), hint.FixOf(rest, []hint.Mistake{withDot}))
	}
	return p.fail(fmt.Sprintf("must be a path, found %q", dialect.Preview(rest)), "")
}

// mistakes are what is often meant by a text that is no JSONPath; of these, a whole expression is
// better than what the parser knows of the part where it stops.
func mistakes() []hint.Mistake {
	guessed := func(text string) string {
		g, ok := hint.Guess(text)
		if !ok || len(g) == 1 || strings.HasPrefix(text, "/") {
			return ""
		}
		return WriteParsed(g)
	}
	return []hint.Mistake{
		{Fix: "%s", Correct: func(text string) string { return hint.Several(text, ".$") }},
		{Fix: "{{ … }} is a template of Helm; render it before this run", IsIn: func(text string) bool { return helmTemplate().MatchString(text) }},
		{Fix: hint.Write, Correct: func(text string) string { return dialect.Parsed(withoutFrame(text), parseSteps) }},
		{Fix: UnderJQ, IsIn: IsPipeOfJQ},
		{
			Fix:  hint.Write + "; or, if this is jq, write it under jqPathExpressions",
			IsIn: func(text string) bool { return strings.Contains(text, "[]") }, Correct: guessed,
		},
		{Fix: hint.Write, Correct: guessed},
	}
}

// helmTemplate finds a template that names what only Helm knows.
var helmTemplate = words.Pattern(`\{\{-? *(\.Values|\.Release|\.Chart|include|tpl)\b`)

// withoutFrame returns the path in the braces of a Go template, in the argument of kubectl's flag
// -o jsonpath=, before text in braces, or after the title of one of kubectl's custom columns; "" if
// there is none of these.
func withoutFrame(text string) string {
	if inner, ok := strings.CutPrefix(text, "{{"); ok && strings.HasSuffix(inner, "}}") {
		return strings.TrimSpace(strings.TrimSuffix(inner, "}}"))
	}
	if _, argument, ok := strings.Cut(text, "jsonpath="); ok {
		text = strings.Trim(argument, `'"`)
	}
	if inner, rest, ok := strings.Cut(strings.TrimPrefix(text, "{"), "}"); ok && (rest == "" || strings.HasPrefix(rest, `{"`)) {
		return inner
	}
	title, path, ok := strings.Cut(text, ":")
	if !ok || !strings.HasPrefix(path, ".") || strings.ContainsAny(title, ".[({") {
		return ""
	}
	return path
}

// UnderJQ is the fix for an expression that IsPipeOfJQ.
const UnderJQ = "this is jq, write it under jqPathExpressions"

// IsPipeOfJQ tells whether the text is jq and can't be anything else.
func IsPipeOfJQ(text string) bool {
	return strings.Contains(text, "|") && jq.Compiles(text)
}

// pointerAsPath returns the fix for a JSON Pointer among the JSONPaths.
func (p *pathParser) pointerAsPath() string {
	const asPointer = "write it under jsonPointers"
	pointer := strings.TrimSpace(p.expression)
	if pointer[0] != '/' || location.BadEscape(pointer) >= 0 {
		return asPointer
	}
	path := ""
	for _, key := range location.PointerSegments(pointer) {
		if _, isIndex := location.ListIndex(key); isIndex || key == "*" {
			path += "[" + key + "]"
			continue
		}
		path = writeField(path, key)
	}
	return asPointer + ", or as " + path
}

// checkName refuses the names that client-go takes literally and that mean something else in other
// dialects.
func (p *pathParser) checkName(name string) error {
	if i := strings.IndexByte(name, '('); i == 0 || i > 0 && name[i-1] != '\\' {
		return p.fail(fmt.Sprintf("functions select no field, found %q", name), "")
	}
	if name[0] == '"' || name[0] == '\'' {
		return p.fail(fmt.Sprintf("a name after a dot must not be in quotes, found %s", name),
			"escape its dots instead, as in .prometheus\\.io/port")
	}
	return nil
}

// fromEnd finds an index that counts from the end as in JavaScript: (@.length-1).
var fromEnd = words.Pattern(`^\(@\.length *(-\d+)\)$`)

// bracketFix returns what to write instead of [inside], or "".
func bracketFix(inside string) string {
	name := strings.Trim(inside, `"' `)
	switch {
	case fromEnd().MatchString(inside):
		return "write [" + fromEnd().ReplaceAllString(inside, "$1") + "]"
	case strings.HasPrefix(inside, "?"):
		return "write [?(" + strings.Trim(inside[1:], " ()") + ")]"
	case inside[0] == '\'' && !strings.HasSuffix(inside, "'"):
		return `write a "]" or "," in a name as \] or \, after a dot: .a\]b`
	case strings.ContainsAny(inside, ",:"):
		return ""
	case strings.Contains(inside, "="):
		return `list elements are selected by a filter, as in [?(@.name=="web")]`
	case inside[0] == '\'':
		return "write ." + escapeField(name)
	}
	return "write ['" + name + "']"
}

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
