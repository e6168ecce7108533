package applyoperations

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// transform makes the new data of an object from the old, which it does not
// change.
type transform func(target *entry) (*yaml.Node, error)

// patch compiles JQPatch, FilterPatchOptimistic, MergePatch and JSONPatch.
func (c *compiler) patch(op *operation, o Operation, name string) {
	c.named(o, op.path)
	if name == opJQPatchLocked && o.ResourceVersion == "" {
		c.fault(op.path+".resourceVersion", "must be set for %s, found nothing", name)
	}
	switch o.Subresource {
	case "", "status", "/status":
	default:
		c.fault(op.path+".subresource", `must be "status" or "/status", found %q`, o.Subresource)
	}
	p := c.payload(o, name, op.path)
	if p.node == nil {
		return
	}
	op.payload = p.node
	var t transform
	switch name {
	case opMergePatch:
		t = c.mergePatch(p)
	case opJSONPatch:
		t = c.jsonPatch(op, p)
	default:
		t = c.jqPatch(p)
	}
	op.statusOnly = o.StatusPatch || o.Subresource != ""
	op.act = patchWith(t, op.target, o.IgnoreMissingObject, op.statusOnly)
}

func patchWith(t transform, ref report.Ref, ignoreMissing, statusOnly bool) action {
	return func(s *store, target *entry) error {
		switch {
		case target == nil && ignoreMissing:
			s.noteAbsence(ref)
			return nil
		case target == nil:
			return &missingError{target: ref, near: s.near(ref)}
		}
		root, err := t(target)
		if err != nil {
			return err
		}
		return s.replace(target, root, statusOnly, report.Patched)
	}
}

// withStatusOf returns the map root with the status that the map other has, or
// without one.
func withStatusOf(root, other *yaml.Node) *yaml.Node {
	status := tree.Lookup(other, "status")
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: tree.Deref(root).Style}
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

// checkResult checks what was made of the object before.
func checkResult(before, after *yaml.Node) error {
	if !tree.IsMap(after) {
		return &resultError{reason: "the result must be an object, found " + article(after)}
	}
	for _, field := range identity {
		was, is := locate.At(before, field), locate.At(after, field)
		if isNothing(was) && isNothing(is) || was != nil && is != nil && tree.Equal(was, is) {
			continue
		}
		return &resultError{reason: fmt.Sprintf("the result must have the same %s, %s", field, foundName(was)), found: foundName(is)}
	}
	return nil
}

func isNothing(n *yaml.Node) bool {
	return tree.Type(n) == tree.Null || tree.Type(n) == tree.String && n.Value == ""
}

// resultError is a filter or a patch that makes something else of an object.
type resultError struct {
	reason string
	// found is what it makes in its place, "" where the reason says it all.
	found string
}

func (e *resultError) Error() string {
	if e.found == "" {
		return e.reason
	}
	return e.reason + ", found " + e.found
}

// Evaluated returns what a Secret's value may be in, see redact.EvaluationError.
func (e *resultError) Evaluated() (cause string, written []string, safe string) {
	return e.found, []string{"nothing", e.reason}, "another"
}

// WithCause returns the error with something else that was found.
func (e *resultError) WithCause(cause string) error {
	return &resultError{reason: e.reason, found: cause}
}

// missingError is a patch of an object that is not there.
type missingError struct {
	target report.Ref
	// near is an object that may be meant; nil where there is none.
	near *entry
}

func (e *missingError) Error() string {
	message := fullName(e.target) + " is not there"
	if e.near != nil {
		message += nearHint(e.target, e.near.ref)
	}
	return message + "; with ignoreMissingObject: true the operation would be passed over"
}

// fullName is the name of an object with its apiVersion.
func fullName(ref report.Ref) string {
	if ref.APIVersion == "" {
		return ref.String()
	}
	return ref.String() + " (" + ref.APIVersion + ")"
}
