package applypatches

import (
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// evalValue evaluates the value of the operation, unless it depends on the value that it replaces.
func (e *editor) evalValue() error {
	o := e.operation
	switch {
	case o.value == nil:
		return nil
	case !o.readsCurrent:
		var err error
		e.value, err = e.eval(e.in)
		return err
	}
	if resource, ok := e.in.Variables[cel.Resource].(func() any); ok && o.value.Reads(cel.Resource) {
		resource() // keeps the element as it is before the first edit
	}
	return nil
}

// valueFor returns the new value for a current one, nil for nothing.
func (e *editor) valueFor(current *tree.Node) (*tree.Node, error) {
	if !e.operation.readsCurrent {
		return e.value, nil
	}
	return e.eval(e.in.With(cel.Current, sync.OnceValue(func() any { return tree.Value(current) })))
}

func (e *editor) eval(in cel.Input) (*tree.Node, error) {
	value, err := e.operation.value.Eval(in)
	if err == nil && e.operation.op.Value == MapValue && !tree.IsMap(value) {
		err = e.fail("the value must be a map, found %s", config.TypeOf(value))
	}
	return value, err
}

// identity returns a map with the keys that identify list elements; they do not depend on the
// element.
func (e *editor) identity() (*tree.Node, error) {
	if !e.operation.readsCurrent {
		return e.value, nil
	}
	identity := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag}
	for _, key := range e.operation.keys {
		value, err := e.operation.value.Member(key).Eval(e.in)
		if err != nil {
			return nil, err
		}
		identity.Content = append(identity.Content, tree.NewString(key), value)
	}
	return identity, nil
}

// checkCurrent reports a value that depends on a list element which its keys do not identify.
func (c *compiler) checkCurrent(o operation, at string) {
	if !o.readsCurrent {
		return
	}
	for _, key := range o.keys {
		if member := o.value.Member(key); member == nil || member.Reads(cel.Current) {
			c.fault(at, "must be a map with the key %q, and its value must not use current: the key selects the element that is current", key)
		}
	}
}
