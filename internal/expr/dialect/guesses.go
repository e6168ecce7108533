package dialect

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
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
	found, isExpression := g.locate(fix, root, parse)
	if fix == strings.TrimSpace(text) || !isExpression || len(found.Locations) == 0 || found.DottedKey != "" {
		return ""
	}
	return fix
}

// Suggest adds to the reason why a text finds nothing in the object what to write instead, where
// that can be known. Missing is the field that the map n does not have; nil where it is another
// reason.
func (g *Guesses) Suggest(
	in *Input, text, reason string, n *tree.Node, missing location.Location,
	write func(hint.Path) string, parse func(string) (Expression, error),
) string {
	if in.Declares(missing) {
		return reason
	}
	if fix := g.Fitting(text, in.Root, write, parse); fix != "" {
		return fmt.Sprintf("%s; did you mean '%s'?", reason, fix)
	}
	if missing == nil {
		return reason
	}
	at := len(missing) - 1
	return reason + cmp.Or(PrefixFix(n, missing[:at], g.names(at)), hint.ForKey(n, missing[at].Key))
}

// names are the last steps of the guess, from the one at an index on, with dots between; "" if not
// all are names.
func (g *Guesses) names(from int) string {
	var names []string
	for _, step := range g.guess[min(from, len(g.guess)):] {
		if step.Kind != hint.Key {
			return ""
		}
		names = append(names, step.Key)
	}
	return strings.Join(names, ".")
}

// PrefixFix says how to select the keys of the map n at a location that begin with what a text has
// before a "*" at its end; "" if there are none.
func PrefixFix(n *tree.Node, at location.Location, text string) string {
	prefix, isGlob := strings.CutSuffix(text, "*")
	if !isGlob || prefix == "" {
		return ""
	}
	for key := range tree.Entries(n) {
		if strings.HasPrefix(key, prefix) {
			w := &jq.Writer{}
			w.Location(at)
			w.Stage("with_entries(select(.key | startswith(" + jq.String(prefix) + ")))")
			return fmt.Sprintf(`, and "*" stands only for a whole key; for all keys that begin so write the jqPathExpression '%s'`, w)
		}
	}
	return ""
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
