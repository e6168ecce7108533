package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// pattern is one pattern in the syntax of gitignore (https://git-scm.com/docs/gitignore). go-git's
// package for it reads classes of characters and `a/**` otherwise than git does.
type pattern struct {
	text string
	// segments are the parts between the slashes; nil stands for `**`.
	segments []*segment
	// again is true for a pattern that includes again what others exclude.
	again bool
	// folderOnly is true for a pattern that ends in a slash.
	folderOnly bool
	// isUsed is true once a file or a folder has matched.
	isUsed bool
}

// PatternError reports an invalid pattern.
type PatternError struct {
	Pattern, Reason string
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("invalid pattern %q: %s", e.Pattern, e.Reason)
}

// parsePatterns parses patterns; comments and blank lines are skipped. The error is a
// *PatternError.
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
		p.text = trimmed
		patterns = append(patterns, p)
	}
	return patterns, nil
}

// trimBlanks removes blanks from the end, except one behind a backslash.
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

// segment is what is between two slashes of a pattern: what it begins with, and what matches the
// rest; nil for a text.
type segment struct {
	prefix string
	rest   func() *regexp.Regexp
}

func (s *segment) matches(text string) bool {
	rest, ok := strings.CutPrefix(text, s.prefix)
	return ok && (s.rest == nil && rest == "" || s.rest != nil && s.rest().MatchString(rest))
}

// parseSegment parses a pattern between two slashes. Only what a file needs is compiled, except
// classes of characters, which may be invalid.
func parseSegment(text string) (*segment, error) {
	all := text
	end := strings.IndexAny(text, `*?[\`)
	if end < 0 {
		return &segment{prefix: text}, nil
	}
	s := &segment{prefix: text[:end]}
	text = text[end:]
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
	s.rest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(out.String()) })
	if strings.Contains(all, "[") {
		compiled, err := regexp.Compile(out.String())
		if err != nil {
			return nil, fmt.Errorf("it must have classes of characters such as [a-z], found %q", all)
		}
		s.rest = func() *regexp.Regexp { return compiled }
	}
	return s, nil
}

// parseClass converts a class of characters, from behind its bracket, to a regular expression, and
// returns the rest of the pattern.
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

// excluded tells whether the patterns exclude a file or a folder, by its path with slashes: the
// last pattern that matches decides. It is not called for paths in excluded folders.
func excluded(patterns []pattern, path string, isFolder bool) bool {
	if len(patterns) == 0 {
		return false
	}
	segments := strings.Split(path, "/")
	isExcluded := false
	for i := range patterns {
		if p := &patterns[i]; (isFolder || !p.folderOnly) && matches(p.segments, segments) {
			p.isUsed, isExcluded = true, !p.again
		}
	}
	return isExcluded
}

// matches tells whether the segments of a path match those of a pattern. Only the last `**` so far
// can usefully take more segments, so the time is bounded by the product of the two lengths. A `**`
// at the end takes at least one segment.
func matches(pattern []*segment, path []string) bool {
	deeper, from := -1, 0 // the last `**`, and where what follows it begins
	p, at := 0, 0
	for at < len(path) {
		switch {
		case p < len(pattern) && pattern[p] == nil:
			deeper, from = p, at
			p++
		case p < len(pattern) && pattern[p].matches(path[at]):
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

// krmIgnore are the patterns in the .krmignore of a package. They are for that package alone,
// without the packages in it.
type krmIgnore struct {
	patterns []pattern
	of       folder // the package
}

// isPackage tells whether the folder is a package of its own: it has a Kptfile.
func (d folder) isPackage() bool {
	_, err := os.Lstat(filepath.Join(d.path, "Kptfile"))
	return err == nil
}

// packageIgnore reads the .krmignore of a package; without one, nothing is excluded. As in git, an
// invalid pattern matches nothing.
func (f *finder) packageIgnore(d folder) krmIgnore {
	ignore := krmIgnore{of: d}
	name := filepath.Join(d.path, ".krmignore")
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return ignore
	}
	if err == nil && !info.Mode().IsRegular() {
		f.fault(name, "must be a regular file, found a "+typeName(info.Mode()))
		return ignore
	}
	text, err := os.ReadFile(name)
	if err != nil {
		f.fault(name, reasonOf(err))
		return ignore
	}
	for line := range strings.Lines(string(text)) {
		patterns, _ := parsePatterns([]string{line})
		ignore.patterns = append(ignore.patterns, patterns...)
	}
	return ignore
}
