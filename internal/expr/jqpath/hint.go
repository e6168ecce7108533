package jqpath

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/keys"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// notFound is the result of an expression that finds nothing, with a hint.
func (e *jqExpression) notFound(in *dialect.Input) dialect.Found {
	if null := e.null(in.Root); null != nil {
		hint := fmt.Sprintf("%s is null, which jq does not find; write the JSON Pointer '%s'", null, null.Pointer())
		return dialect.Found{Hint: hint, Depth: len(null)}
	}
	n, at, missing := e.followPrefix(in.Root)
	if missing != nil {
		return dialect.Found{Hint: e.missingHint(in, n, missing), Depth: len(at), Missing: missing}
	}
	return dialect.Found{Hint: e.restHint(n, at), Depth: len(at)}
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

// missingHint says that the map n does not have a field, and what to write instead where that can
// be known.
func (e *jqExpression) missingHint(in *dialect.Input, n *tree.Node, missing location.Location) string {
	last := len(missing) - 1
	field := missing[last].Key
	reason := dialect.NoKey(dialect.Place(missing[:last]), field)
	if in.Declares(missing) {
		return reason
	}
	if fix := e.guesses.Fitting(e.expression, in.Root, Write, parse); fix != "" {
		return fmt.Sprintf("%s; did you mean '%s'?", reason, fix)
	}
	return reason + keys.Hint(n, field)
}

// restHint says that nothing in the node n at a location matches what follows the fields that the
// expression starts with.
func (e *jqExpression) restHint(n *tree.Node, at location.Location) string {
	switch {
	case tree.Type(n) == tree.Null:
		return dialect.Place(at) + " is null, which jq does not find"
	case tree.IsList(n):
		return fmt.Sprintf("nothing in %s, which has %s, matches the rest of the expression", dialect.Place(at), dialect.CountElements(n))
	case len(at) == 0:
		return ""
	}
	return fmt.Sprintf("nothing in %s matches the rest of the expression%s", dialect.Place(at), e.path.DocumentHint())
}

// null returns the first place to which a simple expression leads where null is; nil for none.
func (e *jqExpression) null(root *tree.Node) location.Location {
	steps, isSimple := e.path.Steps()
	if !isSimple {
		return nil
	}
	_, null, _ := evaluateSteps(root, steps)
	return null
}
