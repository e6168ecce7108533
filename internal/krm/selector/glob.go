package selector

import "strings"

// glob is a pattern in which `*` matches any run of characters, also none, and slashes. No other
// character is special: `?` and `[` match themselves. It holds the parts between the stars.
type glob []string

func isGlob(pattern string) bool {
	return strings.Contains(pattern, "*")
}

func parseGlob(pattern string) glob {
	return strings.Split(pattern, "*")
}

// matches tells whether the pattern matches the whole of text. It never backtracks, however many
// stars there are.
func (g glob) matches(text string) bool {
	last := len(g) - 1
	if last == 0 {
		return text == g[0]
	}
	rest, ok := strings.CutPrefix(text, g[0])
	if !ok {
		return false
	}
	if rest, ok = strings.CutSuffix(rest, g[last]); !ok {
		return false
	}
	for _, part := range g[1:last] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return true
}

// Glob tells whether the pattern, in which `*` matches any run of characters, matches the whole of
// text.
func Glob(pattern, text string) bool {
	return parseGlob(pattern).matches(text)
}
