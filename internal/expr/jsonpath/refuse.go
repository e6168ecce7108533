package jsonpath

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
)

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
		return p.fail(fmt.Sprintf(`must start with ".", found %q`, word), "write a path such as .spec.replicas")
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
