package tree

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// SyntaxError says why a text is no YAML document, or one that this package refuses. Line counts
// from 1; it is 0 if the line is not known.
type SyntaxError struct {
	Line   int
	Reason string
	// IsDuplicateKey is true if nothing is wrong but that a map has a key twice.
	IsDuplicateKey bool
}

// Error returns the reason behind its line: `line 3: did not find expected key`.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

// libraryReason describes an error of yaml.v3.
type libraryReason struct {
	// fromZero: its line counts from 0, not from 1.
	fromZero bool
	// clearer replaces it, if set.
	clearer string
	// hint names the fix that most often helps.
	hint string
}

// libraryReasons has the errors of yaml.v3's parser, whose lines count from 0, and those of its
// scanner that need a hint.
var libraryReasons = map[string]libraryReason{
	"did not find expected key":           {fromZero: true, hint: "check the indentation"},
	"did not find expected '-' indicator": {fromZero: true, hint: "check the indentation"},
	"did not find expected node content":  {fromZero: true, hint: "check the brackets"},
	"did not find expected ',' or ']'":    {fromZero: true},
	"did not find expected ',' or '}'":    {fromZero: true},
	"found undefined tag handle":          {fromZero: true},
	"found duplicate %YAML directive":     {fromZero: true},
	"found duplicate %TAG directive":      {fromZero: true},
	"did not find expected <document start>": {
		fromZero: true, clearer: "the text must be one YAML document, found more text after it",
	},
	"exceeded max depth of 10000": {
		clearer: fmt.Sprintf("maps and lists must be nested at most %d levels deep", MaxDepth),
	},
	"found incompatible YAML document": {
		fromZero: true, clearer: "the directive %YAML must name version 1.1 or 1.2",
	},
	"did not find expected alphabetic or numeric character": {
		clearer: "a value that begins with * or & must be in quotes, such as \"*\"",
	},
	"could not find expected ':'":    {hint: "a line of a map must be `key: value`"},
	"found unexpected end of stream": {hint: "close the quotes"},
	"found unknown escape character": {hint: "write the backslash twice, or use single quotes"},
	"found character that cannot start any token": {
		hint: "indent with spaces only, and quote a value that begins with @, % or `",
	},
	"mapping values are not allowed in this context": {
		hint: "check the indentation, and quote a value that has `: ` in it",
	},
}

// newSyntaxError converts an error of yaml.v3 to a *SyntaxError. The library often names the first
// line of the block with the error; stopped, the line up to which the text is certainly valid, is
// then better.
//
// yaml.v3 reports errors as text alone, `yaml: line 3: did not find expected key`, and leaves the
// line out if it is the first.
func newSyntaxError(err error, text string, stopped int) *SyntaxError {
	line, reason := splitLine(strings.TrimPrefix(err.Error(), "yaml: "))
	known := libraryReasons[reason]
	if known.fromZero {
		line++
	}
	line = max(min(line, countLines(text)), stopped)
	if name, found := strings.CutPrefix(reason, "unknown anchor '"); found {
		name = strings.TrimSuffix(name, "' referenced")
		// an alias may be the password of a Secret without its quotes
		reason = "an alias must refer to an anchor before it; quote a value that begins with *"
		line = lineOf(text, "*"+name, line)
	}
	if known.clearer != "" {
		reason = known.clearer
	}
	all := append(strings.Split(text, "\n"), "")
	if hint := quoteHint(strings.TrimSuffix(all[min(max(line, 1), len(all))-1], "\r")); hint != "" {
		known.hint = hint
	}
	switch {
	case known.clearer != "" && known.hint != "": // which says more
		reason = known.hint
	case known.hint != "":
		reason += "; " + known.hint
	}
	return &SyntaxError{Line: line, Reason: reason}
}

// quoteHint names the fix of a line with one of the two usual mistakes with quotes around an
// expression; "" for any other line.
func quoteHint(line string) string {
	for rest := line; ; {
		at := openingQuote.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		escape, hint := "''", `a ' inside '…' ends the string, write " or '' there`
		quote := rest[at[2]:at[3]]
		if quote == `"` {
			escape, hint = `\"`, `a " inside "…" ends the string, write ' or \" there`
		}
		_, behind, isClosed := strings.Cut(strings.ReplaceAll(rest[at[3]:], escape, ""), quote)
		if rest = strings.TrimLeft(behind, " "); isClosed && rest != "" && !strings.ContainsAny(rest[:1], ",:]}#") {
			return hint
		}
	}
	if _, list, _ := strings.Cut(line, "["); strings.Contains(list, " | ") || unquoted.MatchString(line) {
		return `put an expression inside [ ] or { } in quotes: ['.a["b"]']`
	}
	return ""
}

// openingQuote is a quote where a value begins.
var openingQuote = regexp.MustCompile(`(?:^|[:-] |[\[{,]) *(['"])`)

// unquoted is an expression with brackets of its own, without quotes around it, in a list in
// brackets or a map in braces.
var unquoted = regexp.MustCompile(`(?:\[(?:[^'"\]]*,)?\s*|\{.*: +)[\w.$/][^\s'",{}\[\]]*\[`)

// splitLine splits `line 3: reason`; the line is 0 if there is none.
func splitLine(message string) (line int, reason string) {
	numbered, found := strings.CutPrefix(message, "line ")
	if !found {
		return 0, message
	}
	number, reason, _ := strings.Cut(numbered, ": ")
	line, _ = strconv.Atoi(number)
	return line, reason
}

func countLines(text string) int {
	return 1 + strings.Count(strings.TrimSuffix(text, "\n"), "\n")
}

// lineOf returns the first line, from the line from on, that contains word; from if there is none.
func lineOf(text, word string, from int) int {
	line := 0
	for l := range strings.Lines(text) {
		if line++; line >= from && strings.Contains(l, word) {
			return line
		}
	}
	return from
}
