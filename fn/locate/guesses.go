package locate

import (
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// guesses keeps what was guessed at an expression: a hint is made for each object
// in which it finds nothing, and most are alike.
type guesses struct {
	once  sync.Once
	guess guess
	// parsed has the expression, or nil, for each text that was parsed.
	parsed sync.Map
}

// fit returns the guess at a text as the object has it, see guess.fit.
func (s *guesses) fit(text string, root *yaml.Node) (guess, bool) {
	s.once.Do(func() { s.guess, _ = guessPath(text) })
	if len(s.guess) == 0 {
		return nil, false
	}
	return s.guess.fit(root)
}

// fitting returns what spell makes of the guess at a text, where that is another
// expression and finds something in the object, else "".
func (s *guesses) fitting(
	text string, root *yaml.Node, spell func(guess) string, parse func(string) (Expression, error),
) string {
	g, ok := s.fit(text, root)
	if !ok {
		return ""
	}
	fix := spell(g)
	if fix == strings.TrimSpace(text) || !s.finds(fix, root, parse) {
		return ""
	}
	return fix
}

// finds tells whether the text is an expression that finds something in the
// object.
func (s *guesses) finds(text string, root *yaml.Node, parse func(string) (Expression, error)) bool {
	if text == "" {
		return false
	}
	known, ok := s.parsed.Load(text)
	if !ok {
		expression, err := parse(text)
		if err != nil {
			expression = nil
		}
		known, _ = s.parsed.LoadOrStore(text, expression)
	}
	expression, ok := known.(Expression)
	if !ok {
		return false
	}
	found, err := expression.Locate(&Input{Root: root, WithoutHint: true})
	return err == nil && len(found.Locations) > 0 && found.DottedKey == ""
}
