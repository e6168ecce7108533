package applyoperations

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// operation is a compiled operation.
type operation struct {
	// Path is its place in the functionConfig: operations[3].
	Path string
	// Name is JQPatch.
	Name string
	// Target is the object that it names. Its apiVersion may be missing.
	Target report.Ref
	// ResourceVersion is the one that the object must have; "" for any.
	ResourceVersion string
	// isSnapshot is true if the resourceVersion is that of a snapshot: an object that is not there
	// is created, and one that has no resourceVersion, as in files, is updated.
	isSnapshot bool
	// Cascade says what a deletion does with dependents: foreground, background or orphan; "" for
	// other operations.
	Cascade string
	// IsStatus is true for a patch that changes only the status.
	IsStatus bool
	// Raw is the patch that an API server runs by itself, a map or a list; nil for others.
	Raw *tree.Node
	// Filter is the jq filter that makes the new object; "" for none.
	Filter string
	// NeedsObject is true for a patch or deletion, which is of an object that exists.
	NeedsObject bool
	// anyVersion is true if the target names no version of its group, hasFilter if it runs jq.
	anyVersion, hasFilter bool
	// moves is true if values of the object may come out in other places of it.
	moves bool
	// mask has the Secrets of all operations.
	mask *redact.Mask
	act  action
}

// action runs an operation. Target is nil if the object does not exist.
type action func(s *store, target *storedObject) error

// compiler compiles operations and collects their faults.
type compiler struct {
	// onCluster is true if the operations run on a cluster, not on files.
	onCluster  bool
	mask       *redact.Mask
	limits     jq.Limits
	operations []operation
	faults     []report.Fault
	// ref and file are the functionConfig's.
	ref  report.Ref
	file report.File
	// isExhausted is true once the filters took too long to compile, which is reported once.
	isExhausted bool
	// streamed are the operations of operationsJSON.
	streamed []*tree.Node
}

// operationsTime is how long all operations together may take, besides the jq filters. There is a
// second more for each thousand.
const operationsTime = 2 * time.Second

// compile decodes the functionConfig and compiles its operations; it returns them with their
// limits, and all faults. The mask gets the Secrets that they write.
func compile(functionConfig *tree.Node, onCluster bool, mask *redact.Mask) ([]operation, guard.What, []report.Fault) {
	var decoded Config
	decoding := config.Decode(functionConfig, "", &decoded)
	c := &compiler{onCluster: onCluster, mask: mask, ref: report.RefOf(functionConfig), file: report.FileOf(functionConfig)}
	c.limits = jq.Limits{
		Timeout: decoded.JQ.Timeout.Duration, Memory: decoded.JQ.MemoryLimit.Bytes, Compilation: &jq.Compilation{},
	}
	if len(decoded.Operations) == 0 && decoded.OperationsJSON == nil {
		c.fault("operations", "there must be at least one operation, here or in operationsJSON")
	}
	for i, o := range decoded.Operations {
		c.operation(o, "operations["+strconv.Itoa(i)+"]")
	}
	c.faults = append(decoding, report.WithoutFollowUps(c.faults, decoding)...)
	if decoded.OperationsJSON != nil {
		c.stream(*decoded.OperationsJSON)
	}
	addSecrets(mask, append(c.streamed, functionConfig)...)
	limits := guard.What{
		Noun: Kind, Text: c.ref.Name, Timeout: operationsTime + time.Duration(len(c.operations)/1000)*time.Second,
		Memory: cmp.Or(c.limits.Memory, guard.DefaultMemory), HasParts: true,
	}
	for _, op := range c.operations {
		if op.hasFilter {
			limits.Timeout += cmp.Or(c.limits.Timeout, jq.DefaultTimeout)
		}
	}
	return c.operations, limits, c.faults
}

// stream compiles the operations of operationsJSON.
func (c *compiler) stream(text string) {
	var decoder config.Decoder
	for i, s := range readStream(text) {
		path := "operationsJSON[" + strconv.Itoa(i) + "]"
		switch {
		case s.err != nil:
			c.fault(path, "must be an operation in JSON or YAML: %s", s.err)
		case !tree.IsMap(s.node):
			c.fault(path, "must be an operation (a map), found a %s", tree.Type(s.node))
		default:
			var o Operation
			c.streamed = append(c.streamed, s.node)
			decoding, before := decoder.Decode(s.node, path, &o), c.faults
			c.faults = nil
			c.operation(o, path)
			c.faults = append(append(before, decoding...), report.WithoutFollowUps(c.faults, decoding)...)
		}
	}
}

func (c *compiler) fault(path, format string, args ...any) {
	c.faults = append(c.faults, report.Fault{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (c *compiler) operation(o Operation, path string) {
	spec, ok := c.spec(o, path)
	if !ok {
		return
	}
	compiled := operation{
		Path: path, Name: spec.Name, ResourceVersion: o.ResourceVersion, NeedsObject: spec.IsPatch || spec.Cascade != "",
		Cascade: spec.Cascade, hasFilter: spec.Payload == fieldJQFilter, moves: spec.Payload == fieldJQFilter, mask: c.mask,
		Target: report.Ref{APIVersion: o.APIVersion, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name},
	}
	if p, ok := c.check(o, spec, path); ok {
		spec.compile(c, &compiled, o, p)
	}
	c.operations = append(c.operations, compiled)
}

// spec returns the operation's entry in the table; false if it has none.
func (c *compiler) spec(o Operation, path string) (Spec, bool) {
	switch {
	case o.Operation == nil && o.OperationType == nil:
		c.fault(path+".operation", "must be set, found nothing")
		return Spec{}, false
	case o.Operation == nil:
		return specOf(OperationName(*o.OperationType))
	case o.OperationType != nil && string(*o.OperationType) != string(*o.Operation):
		c.fault(path+".operationType", "must be the same as operation, %q, or left out, found %q", *o.Operation, *o.OperationType)
	}
	return specOf(*o.Operation)
}

// check checks that the operation has its required fields and no others, and returns its payload;
// false if the payload is missing.
func (c *compiler) check(o Operation, s Spec, path string) (payload, bool) {
	hasStatus := s.IsPatch || s.Cascade != "" // shell-operator gives a deletion one, too
	nothing, noStatus := "must be set, found nothing", "must not be set for "+s.Name+"; only patches have it"
	for _, rule := range []struct {
		isBroken       bool
		field, message string
	}{
		{!hasStatus && o.Subresource != "", "subresource", noStatus},
		{!hasStatus && o.StatusPatch, "statusPatch", noStatus},
		{!s.NamesItself() && o.Kind == "", "kind", nothing},
		{!s.NamesItself() && o.Name == "", "name", nothing},
		{isPattern(o.Kind), "kind", fmt.Sprintf(noPattern, o.Kind)},
		{isPattern(o.Namespace), "namespace", fmt.Sprintf(noPattern, o.Namespace)},
		{isPattern(o.Name) && !strings.HasPrefix(o.APIVersion, rbac), "name", fmt.Sprintf(noPattern, o.Name)},
		{s.Lock == NoLock && o.ResourceVersion != "", "resourceVersion", "must not be set for " + s.Name + ", since a new object has none"},
		{s.Lock == RequiredLock && o.ResourceVersion == "", "resourceVersion", "must be set for " + s.Name + ", found nothing"},
		{
			s.IsPatch && !slices.Contains([]string{"", "status", "/status"}, o.Subresource),
			"subresource", fmt.Sprintf(`must be "status" or "/status", found %q`, o.Subresource),
		},
	} {
		if rule.isBroken {
			c.fault(path+"."+rule.field, "%s", rule.message)
		}
	}
	p := c.payload(o, s, path)
	return p, s.Payload == "" || p.node != nil
}

// noPattern says that an operation takes no pattern, as selectors do.
const noPattern = "must be exact, found %q: an operation is on one object, and * is no wildcard in it; write one for each object"

// rbac is the group whose objects may have a * in their names.
const rbac = "rbac.authorization.k8s.io/"

func isPattern(text string) bool { return strings.Contains(text, "*") }

// payload is the input of an operation besides the object's name.
type payload struct {
	node  *tree.Node // nil where it is missing
	field string     // as written: jqFilter, or spec
	path  string
}

func (c *compiler) payload(o Operation, s Spec, path string) payload {
	takes, which := s.Payload, ""
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
			c.fault(given.path, "must not be set for %s%s", s.Name, which)
		case p.node != nil:
			c.fault(given.path, "must not be set together with %s, whose alias it is", takes)
		default:
			p = given
		}
	}
	if takes != "" && p.node == nil {
		c.fault(path+"."+takes, "must be set for %s, found nothing", s.Name)
	}
	return p
}

// data returns the payload as a structure, and checks its type.
func (c *compiler) data(p payload, want string) *tree.Node {
	n, err := structure(p.node)
	found := ", found " + tree.Typed(n)
	switch {
	case err != nil:
		found = ": " + err.Error()
	case tree.Type(n) == want:
		return n
	case want == tree.List && tree.IsMap(n):
		found += "; write operation: MergePatch, and mergePatch for the map"
	case want == tree.Map && len(tree.Elements(n)) > 0 && tree.Get(tree.Elements(n)[0], "op") != nil:
		found += "; write operation: JSONPatch, and jsonPatch for the list"
	}
	c.fault(p.path, "must be a %s, or a string that holds one in JSON or YAML%s", want, found)
	return nil
}
