package words

import (
	"regexp"
	"sync"
)

// Pattern returns a regular expression that is compiled at its first use: the patterns of hints are
// not needed in most runs, and compiling them would delay the start of each.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
