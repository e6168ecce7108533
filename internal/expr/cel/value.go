package cel

import (
	"fmt"
	"slices"

	celgo "cel.dev/cel-go/cel"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Value is YAML data whose strings, the keys of maps among them, are templates, at any depth. It is
// safe for use by several goroutines.
type Value struct {
	node *tree.Node
	// template is that of a string; nil of other nodes, and of a string that is its own result.
	template *Template
	members  []valueMember
	elements []*Value
	// isLiteral is true if there is nothing to evaluate.
	isLiteral bool
}

// valueMember is one member of a map.
type valueMember struct{ key, value *Value }

// Fault is a string in a value that can't be compiled.
type Fault struct {
	// At leads to it, with keys as they are written.
	At location.Location
	// Err is one of Compile.
	Err error
}

// CompileValue compiles the strings in n, which is at a location. It reports all faults, in the
// order of the nodes.
func (e *Environment) CompileValue(n *tree.Node, at location.Location) (*Value, []Fault) {
	c := valueCompiler{environment: e}
	return c.value(n, at), c.faults
}

type valueCompiler struct {
	environment *Environment
	faults      []Fault
}

func (c *valueCompiler) value(n *tree.Node, at location.Location) *Value {
	n = tree.Deref(n)
	v := &Value{node: n, isLiteral: true}
	switch tree.Type(n) {
	case tree.Map:
		for _, m := range membersOf(n) {
			member := c.member(m, at)
			v.members = append(v.members, member)
			v.isLiteral = v.isLiteral && member.key.isLiteral && member.value.isLiteral
		}
	case tree.List:
		for i, element := range n.Content {
			e := c.value(element, at.With(location.Index(i)))
			v.elements = append(v.elements, e)
			v.isLiteral = v.isLiteral && e.isLiteral
		}
	case tree.String:
		v.template = c.template(n, at)
		v.isLiteral = v.template == nil
	}
	return v
}

func (c *valueCompiler) member(m nodeMember, at location.Location) valueMember {
	at = at.With(location.Key(tree.Deref(m.key).Text()))
	key := c.value(m.key, at)
	if key.template != nil && key.template.whole != nil {
		whole := key.template.whole
		output := whole.checked.OutputType()
		if kind := output.Kind(); kind != celgo.StringKind && kind != celgo.DynKind {
			err := invalid(whole.expression, "a key must be a string, found an expression of the type %s", output)
			c.faults = append(c.faults, Fault{at, err})
		}
	}
	return valueMember{key, c.value(m.value, at)}
}

// template compiles the string n; the result is nil if it is no different from the string.
func (c *valueCompiler) template(n *tree.Node, at location.Location) *Template {
	t, err := c.environment.ParseTemplate(n.Text())
	if err != nil {
		c.faults = append(c.faults, Fault{at, err})
		return nil
	}
	if t.IsLiteral() && (len(t.pieces) == 0 || t.pieces[0].Text == n.Text()) {
		return nil
	}
	return t
}

// nodeMember is one member of a map.
type nodeMember struct{ key, value *tree.Node }

// membersOf returns the members of the map n with what merge keys bring in.
func membersOf(n *tree.Node) []nodeMember {
	var members []nodeMember
	if tree.HasMerge(n) {
		for key, value := range tree.Entries(n) {
			members = append(members, nodeMember{tree.NewString(key), value})
		}
		return members
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		members = append(members, nodeMember{n.Content[i], n.Content[i+1]})
	}
	return members
}

// IsLiteral tells whether no string in the value is a template, so that its data is always the
// same.
func (v *Value) IsLiteral() bool { return v.isLiteral }

// Reads tells whether an expression in the value has a variable or calls a function.
func (v *Value) Reads(name string) bool {
	if v.template != nil {
		return slices.ContainsFunc(v.template.pieces, func(p Piece) bool { return p.Program != nil && p.Program.Reads(name) })
	}
	return slices.ContainsFunc(v.elements, func(e *Value) bool { return e.Reads(name) }) ||
		slices.ContainsFunc(v.members, func(m valueMember) bool { return m.key.Reads(name) || m.value.Reads(name) })
}

// Member returns the value of a key of a map; nil if the value is no map or has no such key that is
// no template.
func (v *Value) Member(key string) *Value {
	m, _ := lists.Find(v.members, func(m valueMember) bool { return m.key.template == nil && m.key.node.Text() == key })
	return m.value
}

// Eval returns the data with its templates evaluated, in nodes of its own. What is no template
// keeps its style and its comments. The keys of a map that an expression yields are sorted. The
// error is one of Program.Eval.
func (v *Value) Eval(in Input) (*tree.Node, error) {
	switch {
	case v.isLiteral:
		return tree.Copy(v.node), nil
	case v.template != nil:
		result, err := v.template.Eval(in)
		if err != nil {
			return nil, err
		}
		return tree.FromValue(result), nil
	case v.members != nil:
		return v.evalMap(in)
	}
	list := v.node.Bare()
	for _, element := range v.elements {
		n, err := element.Eval(in)
		if err != nil {
			return nil, err
		}
		list.Content = append(list.Content, n)
	}
	return list, nil
}

func (v *Value) evalMap(in Input) (*tree.Node, error) {
	out := v.node.Bare()
	seen := map[string]bool{}
	for _, member := range v.members {
		key, err := member.key.evalKey(in)
		if err != nil {
			return nil, err
		}
		if seen[key.Text()] {
			cause := fmt.Sprintf("a map must have each key once, found %q twice", key.Text())
			return nil, &EvalError{Expression: member.key.node.Text(), Cause: cause}
		}
		seen[key.Text()] = true
		value, err := member.value.Eval(in)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, key, value)
	}
	return out, nil
}

// evalKey evaluates the key of a map.
func (v *Value) evalKey(in Input) (*tree.Node, error) {
	if v.template == nil {
		return tree.Copy(v.node), nil
	}
	result, err := v.template.Eval(in)
	if err != nil {
		return nil, err
	}
	key, ok := result.(string)
	if !ok {
		cause := "a key must be a string, found " + typeName(result)
		return nil, &EvalError{Expression: v.template.text, Cause: cause}
	}
	return tree.NewString(key), nil
}
