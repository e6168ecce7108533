package applypatches

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// checkMetadata returns an error if the edits put anything but strings into the labels or
// annotations of a metadata: that of the object, or one at any depth, such as a pod template's.
func (e *editor) checkMetadata() error {
	for _, c := range e.changes {
		if c.isGone {
			continue
		}
		if i := textStep(c.location); i >= 0 {
			if err := e.checkHolder(c.location[:i], e.object.At(c.location[:i])); err != nil {
				return err
			}
			if err := e.checkText(c.location[:i+1], c.location); err != nil {
				return err
			}
			continue
		}
		if err := e.checkTexts(c.location, e.object.At(c.location)); err != nil {
			return err
		}
	}
	return nil
}

// textStep returns the index of the step of a location that is the key of a label or an annotation,
// -1 for none.
func textStep(l location.Location) int {
	for i := 2; i < len(l); i++ {
		if holdsTexts(l[:i]) {
			return i
		}
	}
	return -1
}

// holdsTexts tells whether the location is one of labels or annotations.
func holdsTexts(l location.Location) bool {
	n := len(l)
	return n > 1 && l[n-2] == location.Key("metadata") && (l[n-1] == location.Key("labels") || l[n-1] == location.Key("annotations"))
}

// checkTexts checks all labels and annotations in the node n, which is at the location.
func (e *editor) checkTexts(l location.Location, n *tree.Node) error {
	if holdsTexts(l) {
		if err := e.checkHolder(l, n); err != nil {
			return err
		}
	}
	for i, element := range tree.Elements(n) {
		if tree.Deref(element).Kind == tree.ScalarNode {
			continue
		}
		if err := e.checkTexts(l.With(location.Index(i)), element); err != nil {
			return err
		}
	}
	check := e.checkTexts
	if holdsTexts(l) {
		check = func(key location.Location, _ *tree.Node) error { return e.checkText(key, key) }
	}
	for key, value := range tree.Entries(n) {
		if err := check(l.With(location.Key(key)), value); err != nil {
			return err
		}
	}
	return nil
}

// checkHolder checks that the labels or annotations as a whole, n at the location, are a map if
// they exist.
func (e *editor) checkHolder(l location.Location, n *tree.Node) error {
	if t := tree.Type(n); t == tree.Map || t == tree.Null {
		return nil
	}
	return &patchpath.ResolveError{Path: e.path.String(), Reason: l.String() + " must be a map, found ", Found: e.found(n)}
}

// checkText checks the label or annotation at key; changed is the place that an edit has changed,
// in it or the key itself.
func (e *editor) checkText(key, changed location.Location) error {
	n := e.object.At(key)
	if tree.Type(n) == tree.String {
		return nil
	}
	return &patchpath.ResolveError{
		Path: e.path.String(), Reason: key.String() + " must be a string, found ", Found: e.found(n) + e.textFix(n, len(key), changed),
	}
}

// found describes data for a message; where a Secret is in it, by its type alone.
func (e *editor) found(n *tree.Node) string {
	if e.job.seesSecret() {
		return tree.Typed(n)
	}
	return config.Found(n)
}

// textFix says how to write the path or the value. A changed place below the key may be the rest of
// a key with a slash.
func (e *editor) textFix(n *tree.Node, depth int, changed location.Location) string {
	switch t := tree.Type(n); {
	case len(changed) == depth+1:
		return fmt.Sprintf("; a slash in a key is written ~1: %s", location.EscapePointer(changed[depth-1].Key+"/"+changed[depth].Key))
	case len(changed) > depth || t != tree.Number && t != tree.Boolean:
	case e.operation.isLiteral:
		return "; write it in quotes: " + config.Quote(tree.Deref(n).Text())
	default:
		return "; string(…) converts the result of an expression to a string"
	}
	return ""
}
