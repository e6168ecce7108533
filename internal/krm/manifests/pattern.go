package manifests

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// pattern is one pattern in the syntax of gitignore (https://git-scm.com/docs/gitignore).
type pattern struct {
	// segments are the parts between the slashes; nil stands for `**`.
	segments []*regexp.Regexp
	// again is true for a pattern that takes back what others leave out.
	again bool
	// folderOnly is true for a pattern that ends in a slash.
	folderOnly bool
}

// PatternError is a pattern that is none.
type PatternError struct {
	Pattern, Reason string
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("invalid pattern %q: %s", e.Pattern, e.Reason)
}

// parsePatterns parses patterns; comments and blank ones are left out. The error is a *PatternError.
func parsePatterns(texts []string) ([]pattern, error) {
	var patterns []pattern
	for _, text := range texts {
		trimmed := trimBlanks(text)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		p, err := parsePattern(trimmed)
		if err != nil {
			return nil, &PatternError{Pattern: text, Reason: err.Error()}
		}
		patterns = append(patterns, p)
	}
	return patterns, nil
}

// trimBlanks takes blanks off the end, but one that has a backslash before it.
func trimBlanks(text string) string {
	trimmed := strings.TrimRight(text, " \t\r\n")
	if backslashes := len(trimmed) - len(strings.TrimRight(trimmed, `\`)); backslashes%2 == 1 && len(trimmed) < len(text) {
		return text[:len(trimmed)+1]
	}
	return trimmed
}

func parsePattern(text string) (pattern, error) {
	var p pattern
	text, p.again = strings.CutPrefix(text, "!")
	text, p.folderOnly = strings.CutSuffix(text, "/")
	body := strings.TrimPrefix(text, "/")
	if strings.Trim(body, "/") == "" {
		return p, fmt.Errorf("it must name a file or a folder")
	}
	if !strings.Contains(text, "/") { // at any depth
		p.segments = append(p.segments, nil)
	}
	for part := range strings.SplitSeq(body, "/") {
		if part == "**" {
			p.segments = append(p.segments, nil)
			continue
		}
		segment, err := parseSegment(part)
		if err != nil {
			return p, err
		}
		p.segments = append(p.segments, segment)
	}
	return p, nil
}

// parseSegment makes a regular expression of a pattern between two slashes.
func parseSegment(text string) (*regexp.Regexp, error) {
	all := text
	var out strings.Builder
	out.WriteString(`(?s)^`)
	for text != "" {
		switch {
		case text[0] == '*':
			out.WriteString(`.*`)
			text = strings.TrimLeft(text, "*")
			continue
		case text[0] == '?':
			out.WriteString(`.`)
		case text[0] == '[':
			class, rest, err := parseClass(text[1:])
			if err != nil {
				return nil, err
			}
			out.WriteString(class)
			text = rest
			continue
		case text[0] == '\\' && len(text) == 1:
			return nil, fmt.Errorf(`a character must follow the "\" at its end`)
		case text[0] == '\\':
			text = text[1:]
			fallthrough
		default:
			_, size := utf8.DecodeRuneInString(text)
			out.WriteString(regexp.QuoteMeta(text[:size]))
			text = text[size:]
			continue
		}
		text = text[1:]
	}
	out.WriteString(`$`)
	segment, err := regexp.Compile(out.String())
	if err != nil {
		return nil, fmt.Errorf("it must have classes of characters such as [a-z], found %q", all)
	}
	return segment, nil
}

// parseClass makes a regular expression of a class of characters, from behind its bracket, and returns what follows it.
func parseClass(text string) (class, rest string, err error) {
	var out strings.Builder
	out.WriteByte('[')
	if strings.HasPrefix(text, "!") || strings.HasPrefix(text, "^") {
		out.WriteByte('^')
		text = text[1:]
	}
	for first := true; text != ""; first = false {
		if text[0] == ']' && !first {
			out.WriteByte(']')
			return out.String(), text[1:], nil
		}
		if end := strings.Index(text, ":]"); strings.HasPrefix(text, "[:") && end > 0 {
			out.WriteString(text[:end+2])
			text = text[end+2:]
			continue
		}
		if text[0] == '\\' && len(text) > 1 {
			text = text[1:]
		} else if text[0] == '-' && !first && len(text) > 1 && text[1] != ']' {
			out.WriteByte('-')
			text = text[1:]
			continue
		}
		character, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		if strings.ContainsRune(`\[]^-&~`, character) {
			out.WriteByte('\\')
		}
		out.WriteRune(character)
	}
	return "", "", fmt.Errorf(`it must have a "]" for its "["`)
}

// excluded tells whether the patterns leave out a file or a folder, by its path with slashes: the last pattern that
// matches decides. What is in a folder that is left out is not asked for.
func excluded(patterns []pattern, path string, isFolder bool) bool {
	if len(patterns) == 0 {
		return false
	}
	segments := strings.Split(path, "/")
	for i := len(patterns) - 1; i >= 0; i-- {
		if p := patterns[i]; (isFolder || !p.folderOnly) && matches(p.segments, segments) {
			return !p.again
		}
	}
	return false
}

// matches tells whether the segments of a path are those of a pattern. Of several `**`, only the last that was met can
// take more segments to make a difference, so that the time grows with the two lengths alone. A `**` at the end takes
// one segment at least.
func matches(pattern []*regexp.Regexp, path []string) bool {
	deeper, from := -1, 0 // the last `**`, and where what follows it begins
	p, at := 0, 0
	for at < len(path) {
		switch {
		case p < len(pattern) && pattern[p] == nil:
			deeper, from = p, at
			p++
		case p < len(pattern) && pattern[p].MatchString(path[at]):
			p++
			at++
		case deeper >= 0:
			from++
			p, at = deeper+1, from
		default:
			return false
		}
	}
	return p == len(pattern)
}
