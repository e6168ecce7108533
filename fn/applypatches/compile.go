package applypatches

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// patch is a compiled patch.
type patch struct {
	target     *target
	operations []operation
}

// operation is a compiled operation.
type operation struct {
	at   string // patches[0].operations[2]
	op   *Op
	path *path
	// within are the paths of the strings whose documents the path is in, the outermost first.
	within []*path
	value  *cel.Value
	keys   []string
	// isLiteral is true if the operation has no expressions, readsCurrent if the value has the
	// variable current.
	isLiteral, readsCurrent bool
	// ignoresMissing is true for onMissing: Ignore, replaces for replace: true.
	ignoresMissing, replaces bool
	tally                    *tally
}

// compiler compiles patches and collects their faults.
type compiler struct {
	faults []report.Fault
	// environments has the CEL environments by the names of their variables.
	environments map[string]*cel.Environment
	// compilation is what all expressions take to compile, and current the path of the one that is
	// compiled.
	compilation guard.Compilation
	current     string
	// isOver is true once it is reported that they take too long.
	isOver         bool
	stop           parallel.Stop
	functionConfig *tree.Node
}

func compile(c Config, functionConfig *tree.Node) (*run, []report.Fault) {
	r := &run{parameters: c.Parameters, stop: parallel.NewStop()}
	if r.parameters == nil {
		r.parameters = map[string]any{}
	}
	compiler := compiler{environments: map[string]*cel.Environment{}, stop: r.stop, functionConfig: functionConfig}
	if len(c.Patches)+len(c.Removes) == 0 {
		none := report.Fault{Path: "patches", IsMissing: true, Message: "there must be at least one patch, or one entry of removes"}
		compiler.faults = append(compiler.faults, none)
	}
	for i, p := range c.Patches {
		compiled := compiler.patch(p, "patches["+strconv.Itoa(i)+"]")
		r.patches, r.targets = append(r.patches, compiled), append(r.targets, compiled.target)
	}
	for i, removal := range c.Removes {
		t, _ := compiler.target(&removal.Target, removal.ForEach, removal.Var, "removes["+strconv.Itoa(i)+"]")
		r.targets = append(r.targets, t)
	}
	r.byName = selector.NewIndex(len(r.targets), func(i int) *selector.Selection { return r.targets[i].selection })
	return r, compiler.faults
}

func (c *compiler) fault(path, format string, args ...any) {
	c.faults = append(c.faults, report.Fault{Path: path, Message: fmt.Sprintf(format, args...)})
}

// expressionFault reports an expression or a path that can't be compiled.
func (c *compiler) expressionFault(path string, err error) {
	if guard.IsLimit(err) {
		if c.isOver {
			return
		}
		c.isOver = true
	}
	c.faults = append(c.faults, faultOf(path, err))
}

func faultOf(path string, err error) report.Fault {
	found := report.Fault{Path: path, Message: err.Error()}
	if syntax, ok := errors.AsType[*fault.SyntaxError](err); ok {
		found.Tags, found.Detail = map[string]string{"expression": syntax.Expression}, syntax.Caret()
	} else if limit, ok := errors.AsType[*guard.LimitError](err); ok {
		found.Tags = map[string]string{"expression": limit.Text}
	}
	return found
}

// Report implements guard.Reporter.
func (c *compiler) Report(err error) report.Result {
	faults := []report.Fault{faultOf(c.current, err)}
	return report.FaultResults(faults, report.RefOf(c.functionConfig), report.FileOf(c.functionConfig))[0]
}

// placed is an operation with its place in the functionConfig.
type placed struct {
	Operation
	at string // patches[0].operations[2], or patches[0]
}

// all returns the operations of the patch at a place: the list, or the one that the patch is
// itself.
func (p Patch) all(at string) []placed {
	if p.isOperation() {
		own := Operation{Path: p.Path, Input: p.Input}
		if p.Op != nil {
			own.Op = *p.Op
		}
		return []placed{{own, at}}
	}
	operations := make([]placed, len(p.Operations))
	for i, o := range p.Operations {
		operations[i] = placed{o, at + ".operations[" + strconv.Itoa(i) + "]"}
	}
	return operations
}

// isOperation tells whether the patch has a field of an operation, and no list of them.
func (p Patch) isOperation() bool { return p.Operations == nil && len(p.own()) > 0 }

// own returns the names of the fields of an operation that are given beside target and forEach.
func (p Patch) own() []string {
	var names []string
	for _, field := range []struct {
		name    string
		isGiven bool
	}{
		{"op", p.Op != nil}, {"path", p.Path != nil}, {"within", p.Within != nil}, {"value", p.Value != nil}, {"key", p.Key != nil},
		{"replace", p.Replace}, {"onMissing", p.OnMissing == missingIgnore},
	} {
		if field.isGiven {
			names = append(names, field.name)
		}
	}
	return names
}

// checkShape checks that a patch has either a list of operations or the fields of one.
func (c *compiler) checkShape(p Patch, at string) {
	own := p.own()
	switch {
	case !p.isOperation():
		for _, name := range own {
			c.fault(at+"."+name, "must not be set together with operations; write it into an operation of the list")
		}
		if len(p.Operations) == 0 {
			c.faults = append(c.faults, report.Fault{
				Path: at + ".operations", IsMissing: true, Message: "there must be at least one operation, or op and path in its place",
			})
		}
	case p.Op == nil:
		c.fault(at+".op", "must be set, found nothing")
	case p.Path == nil:
		c.fault(at+".path", "must be set, found nothing")
	}
}

// patch compiles a patch. If its var is invalid, its expressions are not compiled, since they name
// that variable.
func (c *compiler) patch(p Patch, at string) patch {
	t, environment := c.target(p.Target, p.ForEach, p.Var, at)
	compiled := patch{target: t}
	c.checkShape(p, at)
	if environment == nil {
		return compiled
	}
	for _, o := range p.all(at) {
		compiled.operations = append(compiled.operations, c.operation(o.Operation, environment, o.at))
	}
	return compiled
}

func (c *compiler) operation(o Operation, environment *cel.Environment, at string) operation {
	compiled := operation{at: at, op: opOf(o.Op), ignoresMissing: o.OnMissing == missingIgnore, tally: &tally{}}
	if o.Path != nil {
		compiled.path = c.path(*o.Path, environment, at+".path")
	}
	compiled.within = c.within(o.Within, environment, at+".within")
	isLiteral := compiled.path != nil && compiled.path.fixed != nil &&
		!slices.ContainsFunc(compiled.within, func(p *path) bool { return p.fixed == nil })
	if compiled.op == nil {
		compiled.op = &Op{Value: AnyValue} // the name is at fault
	}
	if compiled.op.Value != NoValue {
		compiled.value = c.value(o, compiled.op, environment, at)
		isLiteral = isLiteral && compiled.value != nil && compiled.value.IsLiteral()
	}
	compiled.keys = c.keys(o, compiled.op, at+".key")
	if compiled.replaces = o.Replace; o.Replace && compiled.op.Name != "" && !compiled.op.NeedsKey {
		c.fault(at+".replace", "must not be set for the op %s; it is for %s", compiled.op.Name, opsWithKey())
	}
	for _, key := range compiled.keys {
		if compiled.value != nil && compiled.value.IsLiteral() && tree.Lookup(o.Value, key) == nil {
			c.fault(at+".value", "must have the key %q, which identifies the elements of the list", key)
		}
	}
	compiled.isLiteral = isLiteral
	compiled.readsCurrent = compiled.value != nil && compiled.value.Reads(cel.Current)
	c.checkCurrent(compiled, at+".value")
	return compiled
}

// maxWithin bounds how deep documents in documents may nest.
const maxWithin = 200

// within compiles the paths of strings that hold documents.
func (c *compiler) within(n *tree.Node, environment *cel.Environment, at string) []*path {
	if n == nil || tree.Type(n) == tree.Null {
		return nil
	}
	nodes := []*tree.Node{n}
	if tree.IsList(n) {
		nodes = tree.Elements(n)
	}
	if len(nodes) == 0 || len(nodes) > maxWithin {
		c.fault(at, "must be a path to a string, or a list of 1 to %d such paths, found %d", maxWithin, len(nodes))
		return nil
	}
	var within []*path
	for i, n := range nodes {
		place := at
		if tree.IsList(n) || len(nodes) > 1 {
			place = config.Element(at, i)
		}
		if tree.Type(n) != tree.String {
			c.fault(place, "must be a path to a string, found %s", config.Found(n))
			continue
		}
		if p := c.path(tree.Deref(n).Text(), environment, place); p != nil {
			within = append(within, p)
		}
	}
	return within
}

// path compiles a path; nil if it can't.
func (c *compiler) path(text string, environment *cel.Environment, at string) *path {
	c.current = at
	p, err := parsePath(environment, text)
	if err != nil {
		c.expressionFault(at, err)
		return nil
	}
	return p
}

// value compiles the value of an operation that needs one.
func (c *compiler) value(o Operation, op *Op, environment *cel.Environment, at string) *cel.Value {
	if o.Value == nil {
		if op.Name != "" {
			c.fault(at+".value", "must be set for the op %s, found nothing", op.Name)
		}
		return nil
	}
	environment, _ = c.withCurrent(environment) // it was compiled with that of the target
	c.current = at + ".value"
	compiled, faults := environment.CompileValue(o.Value, location.Location{location.Key("value")})
	for _, f := range faults {
		c.expressionFault(at+"."+f.At.String(), f.Err)
	}
	if op.Value == MapValue && compiled.IsLiteral() && !tree.IsMap(o.Value) {
		c.fault(at+".value", "must be a map for the op %s, found %s", op.Name, tree.Typed(o.Value))
		return nil
	}
	return compiled
}

// keys returns the keys of list elements, for an op that needs them.
func (c *compiler) keys(o Operation, op *Op, at string) []string {
	switch {
	case op.Name == "" || o.Key == nil && !op.NeedsKey:
		return nil
	case !op.NeedsKey:
		c.fault(at, "must not be set for the op %s; it is for %s", op.Name, opsWithKey())
		return nil
	case o.Key == nil:
		c.fault(at, "must be set for the op %s, found nothing", op.Name)
		return nil
	}
	nodes := []*tree.Node{o.Key}
	if tree.IsList(o.Key) && len(o.Key.Content) > 0 {
		nodes = o.Key.Content
	}
	var keys []string
	for _, n := range nodes {
		if tree.Type(n) != tree.String {
			c.fault(at, "must be the name of a key or a list of such names, found %s", config.Found(o.Key))
			return nil
		}
		keys = append(keys, tree.Deref(n).Text())
	}
	return keys
}

// opsWithKey names the ops that need the key of list elements.
func opsWithKey() string {
	return words.List(lists.Map(slices.DeleteFunc(Ops(), func(o Op) bool { return !o.NeedsKey }), nameOf))
}

// environment returns the CEL environment with the variables.
func (c *compiler) environment(variables ...string) (*cel.Environment, error) {
	key := strings.Join(variables, " ")
	if environment, ok := c.environments[key]; ok {
		return environment, nil
	}
	environment, err := cel.NewEnvironment(cel.Options{
		Variables: variables, Context: c.stop, Compilation: &c.compilation, Reporter: c,
	})
	if err == nil {
		c.environments[key] = environment
	}
	return environment, err
}

// withCurrent returns the environment with the variable current, which only a value may use.
func (c *compiler) withCurrent(environment *cel.Environment) (*cel.Environment, error) {
	return c.environment(append(slices.Clone(environment.Variables), cel.Current)...)
}
