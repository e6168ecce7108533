package dialect

import (
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Guesses caches the guesses about an expression: a hint is made for each object in which it finds
// nothing, and most are alike.
type Guesses struct {
	once  sync.Once
	guess hint.Path
	// parsed has the expression, or nil, for each text that was parsed.
	parsed sync.Map
}

// Fitting returns the guess at a text as written by write, if that is another expression that finds
// something in the object, else "".
func (g *Guesses) Fitting(
	text string, root *tree.Node, write func(hint.Path) string, parse func(string) (Expression, error),
) string {
	g.once.Do(func() { g.guess, _ = hint.Guess(text) })
	if len(g.guess) == 0 {
		return ""
	}
	path, ok := hint.Fit(g.guess, root)
	if !ok {
		return ""
	}
	fix := write(path)
	if fix == strings.TrimSpace(text) || !g.finds(fix, root, parse) {
		return ""
	}
	return fix
}

// finds tells whether the text is an expression that finds something in the object.
func (g *Guesses) finds(text string, root *tree.Node, parse func(string) (Expression, error)) bool {
	found, ok := g.locate(text, root, parse)
	return ok && len(found.Locations) > 0 && found.DottedKey == ""
}

// Works tells whether the text is an expression that does not fail on the object.
func (g *Guesses) Works(text string, root *tree.Node, parse func(string) (Expression, error)) bool {
	_, ok := g.locate(text, root, parse)
	return ok
}

// locate resolves the text in the object; false if it is no expression, or fails.
func (g *Guesses) locate(text string, root *tree.Node, parse func(string) (Expression, error)) (Found, bool) {
	if text == "" {
		return Found{}, false
	}
	known, ok := g.parsed.Load(text)
	if !ok {
		expression, err := parse(text)
		if err != nil {
			expression = nil
		}
		known, _ = g.parsed.LoadOrStore(text, expression)
	}
	expression, ok := known.(Expression)
	if !ok {
		return Found{}, false
	}
	found, err := expression.Locate(&Input{Root: root, WithoutHint: true})
	return found, err == nil
}

// Parsed returns a text if it parses, else "".
func Parsed[T any](text string, parse func(string) (T, error)) string {
	if _, err := parse(text); err != nil {
		return ""
	}
	return text
}
