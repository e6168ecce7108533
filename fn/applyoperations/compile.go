package applyoperations

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/config"
	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// operation is a compiled operation.
type operation struct {
	path   string // operations[3]
	target report.Ref
	// anyVersion is true where an object of any version of the target's group is
	// meant.
	anyVersion bool
	// resourceVersion is the one that the object must have; "" where any will do.
	resourceVersion string
	// secret holds values that results must not show besides the object's own.
	secret *yaml.Node
	// payload is what a patch has beyond the object's name, as written.
	payload *yaml.Node
	act     action
	// cascade says what a deletion does with dependents, as kubectl delete names it.
	cascade string
	// statusOnly is true for a patch of the status.
	statusOnly bool
}

// action does the work of an operation. Target is nil where the object is not
// there.
type action func(s *store, target *entry) error

// compiler compiles operations and collects their faults.
type compiler struct {
	limits     jq.Limits
	operations []operation
	faults     []report.Fault
	// faulty has the paths of the first faults, as many as are counted.
	faulty  map[string]bool
	counted int
	// isExhausted is true where the filters take too much to compile, which is
	// reported once.
	isExhausted bool
	// streamed are the operations of operationsJSON.
	streamed []*yaml.Node
}

// compile decodes the functionConfig and compiles its operations; it returns
// them with their limits, and all faults, without values of Secrets.
func compile(functionConfig *yaml.Node) ([]operation, config.Limits, []report.Fault) {
	var decoded Config
	c := &compiler{faults: config.Decode(functionConfig, "", &decoded), faulty: map[string]bool{}}
	c.limits = jq.Limits{
		Timeout: decoded.JQ.Timeout.Duration, Memory: decoded.JQ.MemoryLimit.Bytes, Compilation: jq.NewCompilation(),
	}
	if len(decoded.Operations) == 0 && decoded.OperationsJSON == nil {
		c.fault("operations", "there must be at least one operation, here or in operationsJSON")
	}
	for i, o := range decoded.Operations {
		c.operation(o, "operations["+strconv.Itoa(i)+"]")
	}
	if decoded.OperationsJSON != nil {
		c.stream(*decoded.OperationsJSON)
	}
	if len(c.faults) > 0 {
		mask := maskOf(append(c.streamed, functionConfig)...)
		for i := range c.faults {
			c.faults[i] = c.faults[i].Redacted(mask)
		}
	}
	return c.operations, decoded.Limits, c.faults
}

// stream compiles the operations of operationsJSON.
func (c *compiler) stream(text string) {
	for i, s := range readStream(text) {
		path := "operationsJSON[" + strconv.Itoa(i) + "]"
		switch {
		case s.err != nil:
			c.fault(path, "must be an operation in JSON or YAML: %s", s.err)
		case !tree.IsMap(s.node):
			c.fault(path, "must be an operation, which is a map, found a %s", tree.Type(s.node))
		default:
			var o Operation
			c.streamed = append(c.streamed, s.node)
			c.faults = append(c.faults, config.Decode(s.node, path, &o)...)
			c.operation(o, path)
		}
	}
}

// fault adds a fault, unless one is known at the path.
func (c *compiler) fault(path, format string, args ...any) {
	for ; c.counted < len(c.faults); c.counted++ {
		c.faulty[c.faults[c.counted].Path] = true
	}
	if !c.faulty[path] {
		c.faults = append(c.faults, report.Fault{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

func (c *compiler) operation(o Operation, path string) {
	name, ok := c.name(o, path)
	if !ok {
		return
	}
	compiled := operation{path: path, resourceVersion: o.ResourceVersion}
	compiled.target = report.Ref{APIVersion: o.APIVersion, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
	switch payloadFields[name] {
	case fieldObject:
		c.create(&compiled, o, name)
	case "":
		c.delete(&compiled, o, name)
	default:
		c.patch(&compiled, o, name)
	}
	c.operations = append(c.operations, compiled)
}

// name returns the operation's name, aliases resolved; false where it has none.
func (c *compiler) name(o Operation, path string) (string, bool) {
	given := o.Operation
	switch {
	case o.Operation == nil && o.OperationType == nil:
		c.fault(path+".operation", "must be set, found nothing")
		return "", false
	case o.Operation == nil:
		given = o.OperationType
	case o.OperationType != nil && *o.OperationType != *o.Operation:
		c.fault(path+".operationType", "must be the same as operation, %q, or left out, found %q", *o.Operation, *o.OperationType)
	}
	if name, ok := aliases[*given]; ok {
		return name, true
	}
	return *given, *given != ""
}

// payload is what an operation needs beyond the object's name.
type payload struct {
	node  *yaml.Node // nil where it is missing
	field string     // as written: jqFilter, or spec
	path  string
}

func (c *compiler) payload(o Operation, name, path string) payload {
	takes, which := payloadFields[name], ""
	if takes != "" {
		which = ", which takes " + takes
	}
	var p payload
	for _, given := range []payload{
		{node: o.Object, field: fieldObject}, {node: o.JQFilter, field: fieldJQFilter},
		{node: o.MergePatch, field: fieldMergePatch}, {node: o.JSONPatch, field: fieldJSONPatch}, {node: o.Spec, field: fieldSpec},
	} {
		given.path = path + "." + given.field
		switch {
		case tree.Type(given.node) == tree.Null:
		case takes == "" || given.field != takes && given.field != fieldSpec:
			c.fault(given.path, "must not be set for %s%s", name, which)
		case p.node != nil:
			c.fault(given.path, "must not be set where %s is, which it is another name of", takes)
		default:
			p = given
		}
	}
	if takes != "" && p.node == nil {
		c.fault(path+"."+takes, "must be set for %s, found nothing", name)
	}
	return p
}

// named checks that the operation names its object.
func (c *compiler) named(o Operation, path string) {
	if o.Kind == "" {
		c.fault(path+".kind", "must be set, found nothing")
	}
	if o.Name == "" {
		c.fault(path+".name", "must be set, found nothing")
	}
}

// noStatus checks that an operation other than a patch does not ask for the
// status.
func (c *compiler) noStatus(o Operation, name, path string) {
	if o.Subresource != "" {
		c.fault(path+".subresource", "must not be set for %s; a patch takes it", name)
	}
	if o.StatusPatch {
		c.fault(path+".statusPatch", "must not be set for %s; a patch takes it", name)
	}
}

// data returns the structure that the payload is, and checks its type.
func (c *compiler) data(p payload, want string) *yaml.Node {
	n, err := structure(p.node)
	if err != nil {
		c.fault(p.path, "must be a %s, or one written as a string of JSON or YAML: %s", want, reasonOf(err))
		return nil
	}
	if tree.Type(n) != want {
		c.fault(p.path, "must be a %s, or one written as a string of JSON or YAML, found %s", want, article(n))
		return nil
	}
	return n
}

// article names the type of n with its article; its value may be a Secret's.
func article(n *yaml.Node) string {
	if t := tree.Type(n); t != tree.Null {
		return "a " + t
	}
	return tree.Null
}
