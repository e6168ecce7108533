package applypatches

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/cel"
	"github.com/krm-fields/krm-fields/fn/config"
	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/parallel"
	"github.com/krm-fields/krm-fields/fn/quota"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// patch is a compiled patch.
type patch struct {
	target     *target
	operations []operation
}

// operation is a compiled operation.
type operation struct {
	at    string // patches[0].operations[2]
	name  string
	path  *path
	value *cel.Value
	keys  []string
	// isLiteral is true where the operation has no expressions.
	isLiteral bool
	// ignoresMissing is true for onMissing: Ignore.
	ignoresMissing bool
	tally          *tally
}

// compiler compiles patches and collects their faults.
type compiler struct {
	faults []report.Fault
	// environments are by the names of their variables.
	environments map[string]*cel.Environment
	// compilation is the budget of all expressions.
	compilation quota.Compilation
	// isOver is true once the fault is reported that there is none of it left.
	isOver bool
	stop   parallel.Stop
}

func compile(c Config) (*run, []report.Fault) {
	r := &run{parameters: c.Parameters, stop: parallel.NewStop()}
	if r.parameters == nil {
		r.parameters = map[string]any{}
	}
	compiler := compiler{environments: map[string]*cel.Environment{}, stop: r.stop}
	if len(c.Patches)+len(c.Removes) == 0 {
		compiler.fault("patches", "there must be at least one patch, or one entry of removes")
	}
	for i, p := range c.Patches {
		r.patches = append(r.patches, compiler.patch(p, "patches["+strconv.Itoa(i)+"]"))
	}
	for i, removal := range c.Removes {
		t, _ := compiler.target(removal.Target, removal.ForEach, removal.Var, "removes["+strconv.Itoa(i)+"]")
		r.removes = append(r.removes, t)
	}
	return r, compiler.faults
}

func (c *compiler) fault(path, format string, args ...any) {
	c.faults = append(c.faults, report.Fault{Path: path, Message: fmt.Sprintf(format, args...)})
}

// expressionFault reports an expression or a path that can't be compiled.
func (c *compiler) expressionFault(path string, err error) {
	if _, ok := errors.AsType[*quota.CompilationError](err); ok {
		if c.isOver {
			return
		}
		c.isOver = true
	}
	fault := report.Fault{Path: path, Message: err.Error()}
	if syntax, ok := errors.AsType[*cel.SyntaxError](err); ok {
		fault.Tags, fault.Detail = map[string]string{"expression": syntax.Expression}, syntax.Caret()
	}
	if syntax, ok := errors.AsType[*locate.PathError](err); ok {
		fault.Tags, fault.Detail = map[string]string{"expression": syntax.Path}, syntax.Caret()
	}
	c.faults = append(c.faults, fault)
}

// patch compiles a patch. The expressions of one whose var is at fault are not
// compiled, since they name that variable.
func (c *compiler) patch(p Patch, at string) patch {
	t, environment := c.target(p.Target, p.ForEach, p.Var, at)
	compiled := patch{target: t}
	if len(p.Operations) == 0 {
		c.fault(at+".operations", "there must be at least one operation")
	}
	if environment == nil {
		return compiled
	}
	for i, o := range p.Operations {
		compiled.operations = append(compiled.operations,
			c.operation(o, environment, at+".operations["+strconv.Itoa(i)+"]"))
	}
	return compiled
}

func (c *compiler) operation(o Operation, environment *cel.Environment, at string) operation {
	compiled := operation{at: at, name: o.Op, ignoresMissing: o.OnMissing == missingIgnore, tally: &tally{}}
	if o.Path != nil {
		var err error
		if compiled.path, err = parsePath(environment, *o.Path); err != nil {
			c.expressionFault(at+".path", err)
		}
	}
	isLiteral := compiled.path != nil && compiled.path.fixed != nil
	if o.Op != opRemove {
		compiled.value = c.value(o, environment, at)
		isLiteral = isLiteral && compiled.value != nil && compiled.value.IsLiteral()
	}
	compiled.keys = c.keys(o, at+".key")
	if o.Op == opEnsure && compiled.value != nil && compiled.value.IsLiteral() {
		c.checkKeys(compiled.keys, o.Value, at+".value")
	}
	compiled.isLiteral = isLiteral
	return compiled
}

// value compiles the value of an operation that needs one.
func (c *compiler) value(o Operation, environment *cel.Environment, at string) *cel.Value {
	if o.Value == nil {
		if o.Op != "" {
			c.fault(at+".value", "must be set for the op %s, found nothing", o.Op)
		}
		return nil
	}
	compiled, faults := environment.CompileValue(o.Value)
	for _, f := range faults {
		c.expressionFault(at+"."+pathOf("value", f.Path), f.Err)
	}
	if (o.Op == opMergeShallow || o.Op == opEnsure) && compiled.IsLiteral() && !tree.IsMap(o.Value) {
		c.fault(at+".value", "must be a map for the op %s, found %s", o.Op, typed(o.Value))
		return nil
	}
	return compiled
}

// pathOf returns the path of a place in the value, such as value.a[0].
func pathOf(root string, steps []any) string {
	l := locate.Location{locate.Key(root)}
	for _, step := range steps {
		if i, ok := step.(int); ok {
			l = append(l, locate.Index(i))
			continue
		}
		l = append(l, locate.Key(fmt.Sprint(step)))
	}
	return l.String()
}

// keys returns the keys of an ensure.
func (c *compiler) keys(o Operation, at string) []string {
	switch {
	case o.Op == "" || o.Key == nil && o.Op != opEnsure:
		return nil
	case o.Op != opEnsure:
		c.fault(at, "must not be set for the op %s; it is for ensure", o.Op)
		return nil
	case o.Key == nil:
		c.fault(at, "must be set for the op ensure, found nothing")
		return nil
	}
	nodes := []*yaml.Node{o.Key}
	if tree.IsList(o.Key) && len(o.Key.Content) > 0 {
		nodes = o.Key.Content
	}
	var keys []string
	for _, n := range nodes {
		if tree.Type(n) != tree.String {
			c.fault(at, "must be the name of a key or a list of such names, found %s", config.Found(o.Key))
			return nil
		}
		keys = append(keys, tree.Deref(n).Value)
	}
	return keys
}

func (c *compiler) checkKeys(keys []string, value *yaml.Node, at string) {
	for _, key := range keys {
		if tree.Lookup(value, key) == nil {
			c.fault(at, "must have the key %q, which tells the elements of the list apart", key)
		}
	}
}

// environment returns the one with the variables.
func (c *compiler) environment(variables ...string) (*cel.Environment, error) {
	key := strings.Join(variables, " ")
	if environment, ok := c.environments[key]; ok {
		return environment, nil
	}
	environment, err := cel.NewEnvironment(cel.Options{
		Variables: variables, Context: c.stop, Compilation: &c.compilation,
	})
	if err == nil {
		c.environments[key] = environment
	}
	return environment, err
}

// typed names the type of data in n with its article: `a map`, `null`.
func typed(n *yaml.Node) string {
	if kind := tree.Type(n); kind != tree.Null {
		return "a " + kind
	}
	return tree.Null
}
