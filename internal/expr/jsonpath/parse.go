package jsonpath

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// pathParser cuts an expression into the steps of client-go's parser, which then parses each of
// them. By itself that parser gives no position, and drops what follows a `}` inside a key or a
// filter.
type pathParser struct {
	expression string
	// step is where the step that is parsed begins, next what comes after it, and end the end of
	// the path; all in bytes.
	step, next, end int
	braces          bool
	steps           []jsonStep
}

func parse(expression string) (*jsonPath, error) {
	if err := dialect.CheckLength(names, expression); err != nil {
		return nil, err
	}
	begin := len(expression) - len(strings.TrimLeftFunc(expression, unicode.IsSpace))
	p := &pathParser{expression: expression, next: begin, end: len(strings.TrimRightFunc(expression, unicode.IsSpace))}
	if p.rest() == "" {
		return nil, &fault.SyntaxError{Noun: names.Noun, Expression: expression, Reason: "must name a field, as in .spec.replicas, found nothing"}
	}
	if p.rest()[0] == '{' {
		p.braces = true
		p.next++
	}
	if err := p.parse(); err != nil {
		return nil, err
	}
	path := &jsonPath{expression: p.expression, steps: p.steps, quoted: asQuoted(p.steps)}
	if leadingFields(p.steps) == len(p.steps) {
		path.plain = []location.Location{location.Keys(fieldNames(p.steps))}
	}
	start := p.expression[begin:p.end]
	if p.braces {
		path.opening, path.closing = "{", "}"
		start = start[1:]
	}
	if strings.HasPrefix(strings.TrimLeft(start, " "), "$") {
		path.opening += "$"
	}
	return path, nil
}

func (p *pathParser) rest() string {
	if p.next >= p.end {
		return ""
	}
	return p.expression[p.next:p.end]
}

func (p *pathParser) parse() (err error) {
	for err == nil {
		p.next = p.end - len(strings.TrimLeft(p.rest(), " @$"))
		p.step = p.next
		rest := p.rest()
		switch {
		case p.braces && rest == "":
			return p.fail("{ must be closed by }", "")
		case p.braces && rest[0] == '}':
			after := strings.TrimSpace(rest[1:])
			if after == "" {
				return nil
			}
			p.step++
			return p.fail(fmt.Sprintf("must be one path, found %q after it", dialect.Preview(after)),
				"write each path as an expression of its own")
		case rest == "":
			return nil
		case strings.HasPrefix(rest, "[?("):
			err = p.parseFilter(rest)
		case rest[0] == '[':
			err = p.parseBracket(rest)
		case strings.HasPrefix(rest, ".."):
			err = p.parseDescent(rest)
		case rest[0] == '.':
			err = p.parseName(rest)
		default:
			err = p.refuse(rest)
		}
	}
	return err
}

// take has client-go parse a step of the given length.
func (p *pathParser) take(rest string, length int) (text string, nodes []jsonpath.Node, err error) {
	text = rest[:length]
	p.next = p.step + length
	parser, err := jsonpath.Parse("", "{"+text+"}")
	if err != nil {
		return text, nil, err
	}
	if list, ok := parser.Root.Nodes[0].(*jsonpath.ListNode); ok && len(parser.Root.Nodes) == 1 {
		return text, list.Nodes, nil
	}
	return text, nil, fmt.Errorf("must be one step of a path, found %q", text)
}

// parseName parses a step such as .spec or .*.
func (p *pathParser) parseName(rest string) error {
	length := nameLength(rest, 1)
	if length == 1 {
		return p.parseLoneDot(rest)
	}
	if strings.HasSuffix(rest[:length], `\`) && nameLength(rest[:length]+".", 1) > length {
		return p.fail("a backslash must be followed by the character that it escapes", "")
	}
	if err := p.checkName(rest[1:length]); err != nil {
		return err
	}
	return p.add(p.take(rest, length))
}

// parseLoneDot accepts a dot without a name only where it is the whole path.
func (p *pathParser) parseLoneDot(rest string) error {
	after := strings.TrimLeft(rest[1:], " ")
	if len(p.steps) == 0 && (after == "" || p.braces && after[0] == '}') {
		p.next = p.end - len(after)
		return nil
	}
	fix := "leave the dot out"
	if after != "" && strings.ContainsRune("@$,{}", rune(after[0])) {
		fix = `write .\` + after[:nameLength(after, 1)]
	}
	return p.fail(`"." must be followed by a name`, fix)
}

// parseDescent parses .. and the name that follows it.
func (p *pathParser) parseDescent(rest string) error {
	if n := len(p.steps); n > 0 && p.steps[n-1].node.Type() == jsonpath.NodeRecursive {
		return p.fail(`".." must be followed by a name, an index or a filter, found ".."`, "")
	}
	length := 2
	if r, _ := utf8.DecodeRuneInString(rest[2:]); isWordRune(r) {
		length = nameLength(rest, 2)
		if err := p.checkName(rest[2:length]); err != nil {
			return err
		}
	}
	return p.add(p.take(rest, length))
}

// isWordRune tells whether a name after `..` or a word of a template can begin with the character.
func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// nameLength returns where the name ends that begins at from.
func nameLength(text string, from int) int {
	escaped := false
	for i, r := range text[from:] {
		if !escaped && endsName(r) {
			return from + i
		}
		escaped = !escaped && r == '\\'
	}
	return len(text)
}

// parseBracket parses an index, a slice, a name in quotes, or a union.
func (p *pathParser) parseBracket(rest string) error {
	length := strings.IndexAny(rest, "]\n") + 1
	if length == 0 || rest[length-1] == '\n' {
		return p.fail("[ must be closed by ]", "")
	}
	inside := rest[1 : length-1]
	for _, member := range strings.Split(inside, ",") {
		if strings.TrimSpace(member) == "" {
			return p.fail(fmt.Sprintf("[%s] must name an element", inside),
				"write [*] for each element")
		}
	}
	if unescapedBrace(inside) >= 0 {
		return p.fail(braceInName, "")
	}
	text, nodes, err := p.take(rest, length)
	if err != nil {
		return p.fail(err.Error(), bracketFix)
	}
	for _, node := range nodes {
		if !canBeInBrackets(node) {
			return p.fail(text+" must be a name in single quotes, an index or a slice", bracketFix)
		}
	}
	before := len(p.steps)
	if err := p.add(text, nodes, nil); err != nil {
		return err
	}
	namesInQuotes(p.steps[before:])
	return nil
}

// canBeInBrackets tells whether a step in brackets may be the node; a union's members are steps in
// brackets again.
func canBeInBrackets(node jsonpath.Node) bool {
	switch node := node.(type) {
	case *jsonpath.FieldNode, *jsonpath.WildcardNode, *jsonpath.ArrayNode:
		return true
	case *jsonpath.UnionNode:
		for _, member := range node.Nodes {
			for _, inner := range member.Nodes {
				if inner.Type() == jsonpath.NodeUnion || !canBeInBrackets(inner) {
					return false
				}
			}
		}
		return true
	}
	return false
}

// parseFilter parses [?(…)].
func (p *pathParser) parseFilter(rest string) error {
	length := filterLength(rest)
	if length == 0 {
		return p.fail("[?( must be closed by )]", "")
	}
	text, nodes, err := p.take(rest, length)
	if err == nil {
		return p.add(text, nodes, nil)
	}
	inside := strings.TrimSpace(text[len("[?(") : len(text)-len(")]")])
	switch {
	case strings.Contains(inside, "[?("):
		return p.fail("a filter must not hold a filter", underJQ)
	case strings.ContainsAny(inside, "&|"):
		return p.fail(err.Error(), noLogic+underJQ)
	case strings.Trim(inside, "!<>=") != inside:
		return p.fail("a comparison must have something on both sides, found "+inside, "")
	case strings.Contains(inside, "=~"):
		return p.fail(err.Error(), "Kubernetes JSONPath has no =~; "+underJQ)
	case !strings.Contains(inside, "==") && !strings.Contains(inside, "!=") && !strings.ContainsAny(inside, "<>"):
		return p.fail(err.Error(), "a filter names a field, as [?(@.name)], or compares one with ==, !=, <, <=, > or >=")
	}
	return p.fail(err.Error(), "")
}

// filterLength returns the length of the filter that text begins with, as client-go finds its end:
// the first parenthesis outside the first string; 0 if it has none.
func filterLength(text string) int {
	opened, closed, quote := false, false, byte(0)
	for i := len("[?("); i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return 0
		case (c == '"' || c == '\'') && !opened:
			opened, quote = true, c
		case opened && c == quote && text[i-1] != '\\':
			closed = true
		case c == ')' && opened == closed:
			if i+1 < len(text) && text[i+1] == ']' {
				return i + 2
			}
			return 0
		}
	}
	return 0
}

// add compiles the nodes of a step.
func (p *pathParser) add(text string, nodes []jsonpath.Node, err error) error {
	if err != nil {
		return p.fail(err.Error(), "")
	}
	for _, node := range nodes {
		step, err := p.compile(node, text)
		if err != nil {
			return err
		}
		p.steps = append(p.steps, step)
	}
	if len(p.steps) > dialect.MaxLevels {
		return p.fail(dialect.TooManyLevels, "")
	}
	return nil
}

// compile compiles a node of client-go's parser; text is the step as written.
func (p *pathParser) compile(node jsonpath.Node, text string) (step jsonStep, err error) {
	step = jsonStep{node: node, source: text}
	switch node := node.(type) {
	case *jsonpath.RecursiveNode:
		step.source = ".."
	case *jsonpath.WildcardNode:
		step.source = ".*"
	case *jsonpath.ArrayNode:
		if by := node.Params[2]; by.Known && by.Value <= 0 {
			err = p.fail(fmt.Sprintf("the step of the slice %s must be at least 1, found %d", text, by.Value), "")
		}
	case *jsonpath.UnionNode:
		step.members, err = p.members(node, text)
	case *jsonpath.FilterNode:
		step.condition, err = p.condition(node, text[len("[?("):len(text)-len(")]")])
	}
	return step, err
}

func (p *pathParser) members(union *jsonpath.UnionNode, text string) ([][]jsonStep, error) {
	members := make([][]jsonStep, len(union.Nodes))
	for i, member := range union.Nodes {
		for _, node := range member.Nodes {
			step, err := p.compile(node, text)
			if err != nil {
				return nil, err
			}
			members[i] = append(members[i], step)
		}
		namesInQuotes(members[i])
	}
	return members, nil
}

// fail refuses the step that is parsed.
func (p *pathParser) fail(reason, fix string) error {
	line, column := fault.Position(p.expression, p.step)
	return &fault.SyntaxError{
		Noun: names.Noun, Expression: p.expression, Line: line, Column: column, Reason: reason, Fix: fix,
	}
}

// refuse says why no step of a path begins as rest does.
func (p *pathParser) refuse(rest string) error {
	word := rest[:nameLength(rest, 0)]
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case first == '/':
		return p.fail(`must start with ".", found "/"`, "")
	case word == "range" || word == "end":
		return p.fail(fmt.Sprintf("%q repeats text and selects no field", word), "write [*] for each element of a list")
	case strings.ContainsRune(`{}"'`, first) || strings.Contains(rest, "{"):
		return p.fail(fmt.Sprintf("must be one path, found text or a second block at %q", dialect.Preview(rest)), "")
	case first == '|' || strings.Contains(word, "("):
		return p.fail(fmt.Sprintf("%q selects no field; only jq has pipes and functions", dialect.Preview(rest)), "")
	case first == '*':
		return p.fail(`"*" must follow its own dot or be in brackets`, "write .* or [*], and ...* at any depth")
	case isWordRune(first) && len(p.steps) == 0:
		path := "." + dialect.Preview(strings.TrimSuffix(rest, "}"))
		if strings.ContainsAny(path, " {}|:/") {
			path = "a path such as .spec.replicas"
		}
		return p.fail(fmt.Sprintf(`must start with ".", found %q`, word), "write "+path)
	}
	return p.fail(fmt.Sprintf("must be a path, found %q", dialect.Preview(rest)), "")
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

const (
	bracketFix = `write ['key'], [0], [-1] from the end, or a filter such as [?(@.name=="web")]`
	underJQ    = "write a jq expression under jqPathExpressions"
)
