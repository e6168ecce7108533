package locate

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/tree"
)

// hint says why the expression found nothing, what to write instead where that can
// be known, and how many steps led somewhere.
func (e *jqExpression) hint(root *yaml.Node) (hint string, depth int) {
	fix := e.guesses.fitting(e.expression, root, guess.jq, parseJQ)
	if null := e.null(root); null != nil {
		return fmt.Sprintf("%s is there and null, which jq does not find; the JSON Pointer '%s' does", null, null.Pointer()), len(null)
	}
	n, at := tree.Deref(root), Location{}
	for _, field := range e.path.Prefix() {
		if !tree.IsMap(n) {
			break
		}
		child := tree.Lookup(n, field)
		if child == nil {
			if fix != "" {
				return fmt.Sprintf("%s; did you mean '%s'?", noKey(placeName(at), field), fix), len(at)
			}
			return noKey(placeName(at), field) + keyHint(n, field), len(at)
		}
		n, at = child, at.With(Key(field))
	}
	switch {
	case tree.Type(n) == tree.Null:
		return placeName(at) + " is null, and a null is nothing to jq", len(at)
	case tree.IsList(n):
		return fmt.Sprintf("nothing in %s, which has %s, fits the rest of the expression", placeName(at), countElements(n)), len(at)
	case len(at) == 0:
		return "", 0
	}
	return fmt.Sprintf("nothing in %s fits the rest of the expression%s", placeName(at), e.path.DocumentHint()), len(at)
}

// null returns the first place to which a simple expression leads where null
// stands; nil for none.
func (e *jqExpression) null(root *yaml.Node) Location {
	steps, isSimple := e.path.Steps()
	if !isSimple {
		return nil
	}
	s := stepper{budget: &budget{left: maxSteps}}
	s.follow(root, nil, steps)
	return s.null
}

// placeName names a location in messages.
func placeName(l Location) string {
	if len(l) == 0 {
		return "the object"
	}
	return l.String()
}
