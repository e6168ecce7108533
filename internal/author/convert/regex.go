package convert

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// errRegex is a regular expression that globs can't express.
var errRegex = errors.New("krm-fields has globs with *, and can't express other regular expressions")

// fromRegex returns the globs that match together what a regular expression of Flux, which is taken
// for the whole text, matches: `.*` is `*`, and of alternatives, optional parts and small classes
// each becomes a glob. A dot, which is any character there, is taken for a dot; then dots is true.
// Errors are errRegex and those of regexp.
func fromRegex(text string) (globs []*string, dots bool, err error) {
	if text == "" {
		return []*string{nil}, false, nil
	}
	if _, err := regexp.Compile("^(?:" + text + ")$"); err != nil {
		return nil, false, fmt.Errorf("it is not a regular expression: %w", err)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, false, fmt.Errorf("it is not a regular expression: %w", err)
	}
	r := regexReader{}
	texts, ok := r.alternatives(withoutAnchors(parsed.Simplify()))
	if !ok {
		return nil, false, errRegex
	}
	for _, text := range texts {
		globs = append(globs, set(text))
	}
	return globs, r.dots, nil
}

// withoutAnchors takes ^ off the beginning and $ off the end, where they say nothing that Flux does
// not say itself.
func withoutAnchors(re *syntax.Regexp) *syntax.Regexp {
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	for len(parts) > 0 && parts[0].Op == syntax.OpBeginText {
		parts = parts[1:]
	}
	for len(parts) > 0 && parts[len(parts)-1].Op == syntax.OpEndText {
		parts = parts[:len(parts)-1]
	}
	return &syntax.Regexp{Op: syntax.OpConcat, Sub: parts}
}

type regexReader struct {
	dots bool
}

// alternatives returns the globs of a part of a regular expression.
func (r *regexReader) alternatives(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		text := string(re.Rune)
		return []string{text}, re.Flags&syntax.FoldCase == 0 && !isGlob(text)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		r.dots = true
		return []string{"."}, true
	case syntax.OpStar:
		inner := re.Sub[0].Op
		return []string{"*"}, inner == syntax.OpAnyChar || inner == syntax.OpAnyCharNotNL
	case syntax.OpCapture:
		return r.alternatives(re.Sub[0])
	case syntax.OpQuest:
		texts, ok := r.alternatives(re.Sub[0])
		return append(texts, ""), ok
	case syntax.OpCharClass:
		return class(re.Rune)
	case syntax.OpAlternate:
		return r.alternate(re.Sub)
	case syntax.OpConcat:
		return r.concat(re.Sub)
	}
	return nil, false
}

// class returns the characters of a class, which has pairs of a first and a last one.
func class(pairs []rune) ([]string, bool) {
	var texts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		for c := pairs[i]; c <= pairs[i+1]; c++ {
			if texts = append(texts, string(c)); len(texts) > maxAlternatives || c == '*' {
				return nil, false
			}
		}
	}
	return texts, true
}

func (r *regexReader) alternate(parts []*syntax.Regexp) ([]string, bool) {
	var all []string
	for _, part := range parts {
		texts, ok := r.alternatives(part)
		if all = append(all, texts...); !ok || len(all) > maxAlternatives {
			return nil, false
		}
	}
	return all, true
}

func (r *regexReader) concat(parts []*syntax.Regexp) ([]string, bool) {
	all := []string{""}
	for _, part := range parts {
		texts, ok := r.alternatives(part)
		if !ok || len(all)*len(texts) > maxAlternatives {
			return nil, false
		}
		var next []string
		for _, before := range all {
			for _, text := range texts {
				next = append(next, before+text)
			}
		}
		all = next
	}
	return all, true
}

// toRegex returns the regular expression of Flux for a glob; "" where it holds for any text. For
// the empty text it is ^$, as an empty one would hold for any.
func toRegex(glob *string) string {
	if isAny(glob) {
		return ""
	}
	if *glob == "" {
		return "^$"
	}
	parts := strings.Split(*glob, "*")
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return strings.Join(parts, ".*")
}
