// Package lazyregexp compiles patterns when they are first used: those of hints are not needed in
// most runs, and compiling them would delay the start of each.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled at its first use. It may be used by several
// goroutines at once.
type Pattern struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

// New returns a pattern. Get panics for an invalid text, as regexp.MustCompile does.
func New(text string) *Pattern { return &Pattern{text: text} }

// Get returns the compiled pattern.
func (p *Pattern) Get() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.text) })
	return p.compiled
}
