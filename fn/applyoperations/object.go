package applyoperations

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/livevalue"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// creating returns a compile function for an operation whose payload is the object. The payload
// names the object; namespace and name beside it must agree with it.
func creating(
	act func(s *store, target *storedObject, root *tree.Node, resourceVersion string) error,
) func(*compiler, *operation, Operation, payload) {
	return func(c *compiler, op *operation, o Operation, p payload) {
		root := c.data(p, tree.Map)
		if root == nil {
			return
		}
		c.identity(root, p.path, *op)
		root, version := fromSnapshot(root)
		if version != "" && op.Name == createOrUpdateName {
			c.beside(op.Path+".resourceVersion", o.ResourceVersion, version)
			op.ResourceVersion, op.isSnapshot = version, o.ResourceVersion == ""
		}
		op.Target, op.anyVersion = report.RefOf(root), true
		c.beside(op.Path+".apiVersion", o.APIVersion, op.Target.APIVersion)
		c.beside(op.Path+".kind", o.Kind, op.Target.Kind)
		op.act = func(s *store, target *storedObject) error { return act(s, target, root, o.ResourceVersion) }
	}
}

// fromSnapshot returns an object as a hook got it, without what only the API server sets, and its
// resourceVersion.
func fromSnapshot(root *tree.Node) (clean *tree.Node, resourceVersion string) {
	metadata := tree.Get(root, "metadata")
	if !slices.ContainsFunc(schema.ServerSet, func(field string) bool { return tree.Lookup(metadata, field) != nil }) {
		return root, ""
	}
	c := object.NewDocument(tree.Copy(root))
	c.Remove(lists.Map(schema.ServerSet, func(field string) location.Location {
		return location.Location{location.Key("metadata"), location.Key(field)}
	}))
	return c.Root(), tree.GetString(metadata, "resourceVersion")
}

// identity checks that the object at path has what names it.
func (c *compiler) identity(root *tree.Node, path string, op operation) {
	names, namespace := rules.Protected[:len(rules.Protected)-1], rules.Protected[len(rules.Protected)-1]
	for _, field := range names {
		if len(field) > 1 && tree.GetString(root, "metadata", "generateName") != "" && location.At(root, field) == nil {
			c.checkGenerated(path, op)
			continue
		}
		if n := location.At(root, field); tree.Type(n) != tree.String || n.Text() == "" {
			c.fault(path+"."+field.String(), "must be a non-empty string, found %s", foundName(n))
		}
	}
	n := location.At(root, namespace)
	if t := tree.Type(n); t != tree.String && t != tree.Null {
		c.fault(path+"."+namespace.String(), "must be a string, found %s", foundName(n))
	}
}

// checkGenerated checks an object whose name the API server makes.
func (c *compiler) checkGenerated(path string, op operation) {
	const field = ".metadata.generateName"
	switch {
	case op.Name != createName:
		c.fault(path+field, "must be metadata.name for %s, which looks for the object by its name; only %s takes generateName", op.Name, createName)
	case !c.onCluster:
		c.fault(path+field, "must be metadata.name in files: only the API server makes a name, when it creates the object (krm-fields apply)")
	}
}

func foundName(n *tree.Node) string {
	switch {
	case n == nil:
		return "nothing"
	case tree.Type(n) == tree.String:
		return fmt.Sprintf("%q", n.Text())
	}
	return tree.Typed(n)
}

// beside checks a field that repeats one of the object.
func (c *compiler) beside(path, value, own string) {
	if value != "" && value != own {
		c.fault(path, "must be that of the object, %q, or left out, found %q", own, value)
	}
}

// structure returns the data of a payload, which is a structure or a string of JSON or YAML. The
// error is a *tree.SyntaxError.
func structure(n *tree.Node) (*tree.Node, error) {
	if tree.Type(n) != tree.String {
		return n, nil
	}
	text := []byte(n.Text())
	if lines.LooksLikeJSON(n.Text()) {
		if n, err := tree.ParseJSON(text); err == nil {
			return n, nil
		}
	}
	return tree.Parse(text)
}

// plainCopy returns a copy of n, if it is not nil, for use in an object: where n is in flow style,
// as JSON is, in block style with quotes only where they are needed.
func plainCopy(n *tree.Node) *tree.Node {
	if n != nil && tree.Deref(n).Style&tree.FlowStyle != 0 {
		return livevalue.Plain(n)
	}
	return tree.Copy(n)
}
