package jsonpath

import (
	"fmt"

	"k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// notFound is the result of a path that finds nothing, with a hint.
func (w *pathWalk) notFound(in *dialect.Input) dialect.Match {
	if in.WithoutHint || w.ended == nil {
		return dialect.Match{}
	}
	found := dialect.Match{Depth: len(w.ended.location())}
	if field, ok := w.endedAt.node.(*jsonpath.FieldNode); ok && tree.IsMap(w.ended.node) {
		found.Missing = w.ended.location().With(location.Key(field.Value))
		found.Hint = dialect.Lacks(in, w.ended.node, w.ended.describe(), found.Missing)
		return found
	}
	found.Hint, found.Quotes = w.reason()
	return found
}

// reason says where the path ended, unless at a key that a map lacks. What it quotes is of the
// path.
func (w *pathWalk) reason() (hint, quotes string) {
	p, source := w.ended, w.endedAt.source
	switch node := w.endedAt.node.(type) {
	case *jsonpath.FieldNode:
		return fieldHint(p, node.Value), ""
	case *jsonpath.FilterNode:
		return fmt.Sprintf("no element of %s matches %s", p.describe(), source), source
	case *jsonpath.UnionNode:
		return fmt.Sprintf("%s has none of %s", p.describe(), source), source
	}
	switch {
	case tree.IsList(p.node):
		return fmt.Sprintf("%s has %s", p.describe(), words.Count(len(p.node.Content), "element")), ""
	case tree.IsMap(p.node):
		return fmt.Sprintf("%s is empty", p.describe()), ""
	}
	return fmt.Sprintf("%s is %s", p.describe(), tree.Typed(p.node)), ""
}

func fieldHint(p *reachedNode, name string) string {
	if tree.IsList(p.node) {
		return fmt.Sprintf("%s is a list; the step after it must be an index, a slice or a filter, found %q",
			p.describe(), name)
	}
	reason := fmt.Sprintf("%s is %s and has no %q", p.describe(), tree.Typed(p.node), name)
	if dialect.MayHold(p.node, name) {
		reason += fmt.Sprintf("; for a field of the document in that string, write within: {jsonPointers: [%q]} and the rest of the path",
			p.location().Pointer())
	}
	return reason
}
