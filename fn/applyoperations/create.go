package applyoperations

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/mergepatch"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// create compiles Create, CreateIfNotExists and CreateOrUpdate. The object names
// itself; namespace and name beside it are accepted and say nothing.
func (c *compiler) create(op *operation, o Operation, name string) {
	c.noStatus(o, name, op.path)
	if name != opCreateOrUpdate && o.ResourceVersion != "" {
		c.fault(op.path+".resourceVersion", "must not be set for %s, since a new object has none", name)
	}
	p := c.payload(o, name, op.path)
	if p.node == nil {
		return
	}
	root := c.data(p, tree.Map)
	if root == nil {
		return
	}
	c.identity(root, p.path)
	op.target, op.anyVersion = report.RefOf(root), true
	c.beside(op.path+".apiVersion", o.APIVersion, op.target.APIVersion)
	c.beside(op.path+".kind", o.Kind, op.target.Kind)
	switch name {
	case opCreate:
		op.act = createNew(root)
	case opCreateIfNotExists:
		op.act = createIfNotExists(root)
	default:
		op.act = createOrUpdate(root, o.ResourceVersion)
	}
}

// identity has the fields that name an object; the last one may be missing.
var identity = []locate.Location{
	{locate.Key("apiVersion")},
	{locate.Key("kind")},
	{locate.Key("metadata"), locate.Key("name")},
	{locate.Key("metadata"), locate.Key("namespace")},
}

// identity checks that the object at path has what names it.
func (c *compiler) identity(root *yaml.Node, path string) {
	namespace := identity[len(identity)-1]
	for _, field := range identity[:len(identity)-1] {
		if n := locate.At(root, field); tree.Type(n) != tree.String || n.Value == "" {
			c.fault(path+"."+field.String(), "must be a string that is not empty, found %s", foundName(n))
		}
	}
	n := locate.At(root, namespace)
	if t := tree.Type(n); t != tree.String && t != tree.Null {
		c.fault(path+"."+namespace.String(), "must be a string, found %s", foundName(n))
	}
}

func foundName(n *yaml.Node) string {
	switch {
	case n == nil:
		return "nothing"
	case tree.Type(n) == tree.String:
		return fmt.Sprintf("%q", n.Value)
	}
	return article(n)
}

// beside checks a field that repeats what the object says itself.
func (c *compiler) beside(path, value, own string) {
	if value != "" && value != own {
		c.fault(path, "must be that of the object, %q, or left out, found %q", own, value)
	}
}

func createNew(root *yaml.Node) action {
	return func(s *store, target *entry) error {
		if target != nil {
			return &existsError{found: target.ref, file: target.object.File()}
		}
		return s.add(root, asWritten)
	}
}

func createIfNotExists(root *yaml.Node) action {
	return func(s *store, target *entry) error {
		if target != nil {
			return nil
		}
		return s.add(root, asWritten)
	}
}

// createOrUpdate patches an object that is there and leaves its status alone. A
// new one comes without the members that are null; there must be none where a
// resourceVersion is asked for, since the object that had it has gone.
func createOrUpdate(root *yaml.Node, resourceVersion string) action {
	return func(s *store, target *entry) error {
		if target == nil && resourceVersion != "" {
			return &conflictError{target: report.RefOf(root), want: resourceVersion}
		}
		if target == nil {
			return s.add(root, func(root *yaml.Node) *yaml.Node { return mergepatch.Apply(nil, asWritten(root)) })
		}
		patch, err := writtenFor(target.account, root)
		if err != nil {
			return err
		}
		merged := mergepatch.Apply(target.object.Root(), patch)
		return s.replace(target, merged, false, report.Updated)
	}
}

// existsError is an object to create that is there already.
type existsError struct {
	found report.Ref
	file  report.File
}

func (e *existsError) Error() string {
	where := ""
	if path := e.file.String(); path != "" {
		where = " in " + path
	}
	return fmt.Sprintf("%s (%s) is there already%s; did you mean CreateOrUpdate or CreateIfNotExists?",
		e.found, e.found.APIVersion, where)
}
