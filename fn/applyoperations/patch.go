package applyoperations

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// transform returns the parts of an object's data that it may change, and what comes of them. It
// changes no node.
type transform func(s *store, target *storedObject) (before, after *tree.Node, err error)

// patching returns a compile function for a patch; compile makes its transform.
func patching(compile func(c *compiler, op *operation, p payload) transform) func(*compiler, *operation, Operation, payload) {
	return func(c *compiler, op *operation, o Operation, p payload) {
		op.IsStatus = o.StatusPatch || o.Subresource != ""
		transform, isStatus := compile(c, op, p), op.IsStatus
		op.act = func(s *store, target *storedObject) error {
			switch {
			case target == nil && o.IgnoreMissingObject:
				s.noteAbsence()
				return nil
			case target == nil:
				return missingError(op.Target, s.near(op.Target))
			}
			before, after, err := transform(s, target)
			if err != nil {
				return err
			}
			if !target.object.HideEdits {
				target.object.HideEdits = target.object.HidesEdits() || op.moves && redact.Of(target.object.Original()).HasSecret()
			}
			if target.object.HideEdits {
				target.object.EditText += p.node.Text() + "\n"
			}
			return s.replace(target, before, after, isStatus, report.ReasonPatched)
		}
	}
}

// withStatusOf returns the map root with the status that the map other has, or without one.
func withStatusOf(root, other *tree.Node) *tree.Node {
	status := tree.Lookup(other, "status")
	n := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag, Style: tree.Deref(root).Style}
	for key, value := range tree.Entries(root) {
		switch {
		case key != "status":
		case status == nil:
			continue
		default:
			value, status = status, nil
		}
		n.Content = append(n.Content, tree.NewString(key), value)
	}
	if status != nil {
		n.Content = append(n.Content, tree.NewString("status"), status)
	}
	return n
}

// checkResult checks the new data of the object before.
func checkResult(before, after *tree.Node) error {
	if !tree.IsMap(after) {
		return &resultError{reason: "the result must be an object, found " + tree.Typed(after)}
	}
	for _, field := range rules.Protected {
		was, is := location.At(before, field), location.At(after, field)
		if isNothing(was) && isNothing(is) || was != nil && is != nil && tree.Equal(was, is) {
			continue
		}
		return &resultError{reason: fmt.Sprintf("the result must have the same %s, %s", field, foundName(was)), found: foundName(is)}
	}
	return nil
}

func isNothing(n *tree.Node) bool {
	return tree.Type(n) == tree.Null || tree.Type(n) == tree.String && n.Text() == ""
}

// resultError reports a filter or patch whose result is not the object.
type resultError struct {
	// filter is the one that the reason is about; "" for none.
	filter string
	reason string
	// found is the result; "" if the reason says it all.
	found string
}

func (e *resultError) Error() string { return e.Show(words.Open{}, false) }

// Show implements redact.ComposedError.
func (e *resultError) Show(mask words.Mask, hasSecret bool) string {
	switch {
	case e.filter != "":
		return fmt.Sprintf("the filter '%s' %s", mask.Expression(e.filter), e.reason)
	case e.found == "":
		return e.reason
	case hasSecret:
		return e.reason + ", found another"
	}
	return e.reason + ", found " + mask.Text(e.found)
}

// missingError reports a patch of an object that does not exist; near is an object that may be
// meant, nil if there is none.
func missingError(target report.Ref, near *storedObject) error {
	hint := ""
	if near != nil {
		hint = nearHint(target, near.ref)
	}
	return words.Errorf("%s does not exist; ignoreMissingObject: true skips the operation%s", fullName(target), hint)
}

// fullName is the name of an object with its apiVersion.
func fullName(ref report.Ref) string {
	if ref.APIVersion == "" {
		return ref.String()
	}
	return ref.String() + " (" + ref.APIVersion + ")"
}
