package jqpath

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/keys"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// hint says why the expression found nothing, what to write instead where that can be known, and
// how many steps led somewhere.
func (e *jqExpression) hint(root *yaml.Node) (hint string, depth int) {
	fix := e.guesses.Fitting(e.expression, root, Write, parse)
	if null := e.null(root); null != nil {
		return fmt.Sprintf("%s is null, which jq does not find; write the JSON Pointer '%s'", null, null.Pointer()), len(null)
	}
	n, at := tree.Deref(root), location.Location{}
	for _, field := range e.path.Prefix() {
		if !tree.IsMap(n) {
			break
		}
		child := tree.Lookup(n, field)
		if child == nil {
			if fix != "" {
				return fmt.Sprintf("%s; did you mean '%s'?", dialect.NoKey(dialect.Place(at), field), fix), len(at)
			}
			return dialect.NoKey(dialect.Place(at), field) + keys.Hint(n, field), len(at)
		}
		n, at = child, at.With(location.Key(field))
	}
	switch {
	case tree.Type(n) == tree.Null:
		return dialect.Place(at) + " is null, which jq does not find", len(at)
	case tree.IsList(n):
		return fmt.Sprintf("nothing in %s, which has %s, matches the rest of the expression", dialect.Place(at), dialect.CountElements(n)), len(at)
	case len(at) == 0:
		return "", 0
	}
	return fmt.Sprintf("nothing in %s matches the rest of the expression%s", dialect.Place(at), e.path.DocumentHint()), len(at)
}

// null returns the first place to which a simple expression leads where null is; nil for none.
func (e *jqExpression) null(root *yaml.Node) location.Location {
	steps, isSimple := e.path.Steps()
	if !isSimple {
		return nil
	}
	_, null, _ := evaluateSteps(root, steps)
	return null
}
