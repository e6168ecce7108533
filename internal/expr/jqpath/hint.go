package jqpath

import (
	"fmt"
	"sort"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const isNull = " is null, which jq does not find"

// notFound is the result of an expression that finds nothing, with a hint. Null is the place that
// locations returns.
func (e *jqExpression) notFound(in *dialect.Input, null location.Location) dialect.Match {
	if null != nil {
		return dialect.Match{Hint: null.String() + isNull + "; write the JSON Pointer '" + null.Pointer() + "'", Depth: len(null)}
	}
	n, at, missing := e.followPrefix(in.Root)
	if missing != nil {
		if key, _ := hint.JoinedKey(n, e.path.Prefix()[len(at):], "."); key != "" {
			return dialect.Match{Hint: fmt.Sprintf("%s has the key %q; write it in brackets and quotes: [%[2]q]", dialect.Place(at), key), Depth: len(at)}
		}
		return dialect.Match{Hint: lacks(in, n, missing), Depth: len(at), Missing: missing}
	}
	if steps, isSimple := e.path.Steps(); isSimple {
		if found, ok := e.ended(in, steps); ok {
			return found
		}
	}
	hint, quotes := e.restHint(n, at)
	return dialect.Match{Hint: hint, Quotes: quotes, Depth: len(at)}
}

// followPrefix follows the fields that the expression starts with to the node n at a location.
// Missing is the field that n does not have, if it is a map that lacks the next.
func (e *jqExpression) followPrefix(root *tree.Node) (n *tree.Node, at, missing location.Location) {
	n = tree.Deref(root)
	for _, field := range e.path.Prefix() {
		if !tree.IsMap(n) {
			break
		}
		next := at.With(location.Key(field))
		child := tree.Lookup(n, field)
		if child == nil {
			return n, at, next
		}
		n, at = child, next
	}
	return n, at, nil
}

// ended says which of the steps is the first that leads nowhere; false if that can't be known.
func (e *jqExpression) ended(in *dialect.Input, steps []jq.Step) (dialect.Match, bool) {
	ok := true
	places := func(count int) []location.Location {
		found, _, done := evaluateSteps(in, steps[:count], maxHintSteps)
		ok = ok && done
		return found
	}
	// What begins nowhere leads nowhere.
	last := sort.Search(len(steps), func(i int) bool { return len(places(i+1)) == 0 })
	before := places(last)
	if !ok || last == len(steps) || len(before) == 0 {
		return dialect.Match{}, false
	}
	at := before[0]
	n, step := location.At(in.Root, at), steps[last]
	if step.Kind == jq.FieldStep && tree.IsMap(n) {
		if field := at.With(location.Key(step.Text)); tree.Lookup(n, step.Text) == nil {
			return dialect.Match{Hint: lacks(in, n, field), Depth: len(at), Missing: field}, true
		}
	}
	hint, quotes := e.endHint(in.Root, at, steps[:last+1])
	return dialect.Match{Hint: hint, Quotes: quotes, Depth: len(at)}, true
}

// chooseHint leads from a select on the object itself, or on its metadata, to selectors.
func chooseHint(at location.Location) string {
	if len(at) == 0 || len(at) == 1 && at[0].Key == "metadata" {
		return "; selectors choose the objects of a rule, such as selectors: [{kind: Deployment, name: web}]"
	}
	return ""
}

// endHint says that the last of the steps leads nowhere from a location, and quotes it.
func (e *jqExpression) endHint(root *tree.Node, at location.Location, steps []jq.Step) (hint, quotes string) {
	n, step := location.At(root, at), steps[len(steps)-1]
	isEmpty, place := n != nil && len(n.Content) == 0, dialect.Place(at)
	switch {
	case step.Kind == jq.SelectStep && (len(steps) < 2 || steps[len(steps)-2].Kind != jq.EachStep):
		return place + " does not match " + step.Text + chooseHint(at), step.Text
	case step.Kind == jq.SelectStep:
		list, which := at[:len(at)-1], "element"
		if tree.IsMap(location.At(root, list)) {
			which = "member"
		}
		return "no " + which + " of " + dialect.Place(list) + " matches " + step.Text, step.Text
	case step.Kind == jq.FieldStep && tree.IsMap(n):
		return dialect.Place(at.With(location.Key(step.Text))) + isNull, ""
	case tree.IsList(n) && (step.Kind == jq.IndexStep || isEmpty):
		return place + " has " + words.Count(len(n.Content), "element"), ""
	case tree.IsMap(n) && isEmpty:
		return place + " is empty", ""
	case !tree.IsMap(n) && !tree.IsList(n):
		return place + " is " + tree.Typed(n), ""
	}
	return e.restHint(n, at)
}

func lacks(in *dialect.Input, n *tree.Node, field location.Location) string {
	return dialect.Lacks(in, n, dialect.Place(field[:len(field)-1]), field)
}

// restHint says that nothing in the node n at a location matches what follows the fields that the
// expression starts with. What it quotes is of the expression.
func (e *jqExpression) restHint(n *tree.Node, at location.Location) (hint, quotes string) {
	place := dialect.Place(at)
	const noMatch = " matches the rest of the expression"
	switch {
	case tree.Type(n) == tree.Null:
		return place + isNull, ""
	case tree.IsList(n):
		return "nothing in " + place + ", which has " + words.Count(len(n.Content), "element") + "," + noMatch, ""
	case len(at) == 0:
		return "", ""
	}
	hint, quotes = e.path.RestHint()
	return "nothing in " + place + noMatch + hint, quotes
}
