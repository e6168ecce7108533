// Package jsonpatch applies JSON Patches (https://www.rfc-editor.org/rfc/rfc6902) and JSON Merge
// Patches (https://www.rfc-editor.org/rfc/rfc7386) to the data of YAML nodes, by
// github.com/evanphx/json-patch. What that library takes and the RFCs do not is refused before: an
// index with a sign or a leading zero, `add`, `replace` and `test` without a value, a field that is
// missing; and a `test` is carried out here, where numbers are equal by value.
package jsonpatch

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	evanphx "github.com/evanphx/json-patch/v5"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// The operations of RFC 6902, section 4.
const (
	opAdd     = "add"
	opRemove  = "remove"
	opReplace = "replace"
	opMove    = "move"
	opCopy    = "copy"
	opTest    = "test"
)

var ops = []string{opAdd, opRemove, opReplace, opMove, opCopy, opTest}

// Patch is a JSON Patch, ready to be applied any number of times.
type Patch []operation

type operation struct {
	op    string
	path  pointer
	from  pointer    // of move and copy
	value *tree.Node // of add, replace and test
	// forLibrary is the operation as the library has it.
	forLibrary evanphx.Patch
}

// Parse reads the patch that n, found at path, holds: a list of maps. It returns all faults.
// Members that RFC 6902 does not know are ignored.
func Parse(n *tree.Node, path string) (Patch, []report.Fault) {
	if !tree.IsList(n) {
		return nil, []report.Fault{{Path: path, Message: "must be a list of JSON Patch operations, found a " + tree.Type(n)}}
	}
	p := parser{}
	patch := make(Patch, 0, len(tree.Elements(n)))
	for i, element := range tree.Elements(n) {
		patch = append(patch, p.operation(element, fmt.Sprintf("%s[%d]", path, i)))
	}
	return patch, p.faults
}

type parser struct {
	faults []report.Fault
}

func (p *parser) fault(path, format string, args ...any) {
	p.faults = append(p.faults, report.Fault{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (p *parser) operation(n *tree.Node, path string) operation {
	before := len(p.faults)
	if !tree.IsMap(n) {
		p.fault(path, "must be a map with op and path, found a %s", tree.Type(n))
		return operation{}
	}
	o := operation{op: p.op(n, path), path: p.pointer(n, path, "path")}
	switch o.op {
	case opMove, opCopy:
		o.from = p.pointer(n, path, "from")
		if len(p.faults) == before && (o.path.text == "" || o.from.text == "" && o.op == opMove) {
			p.fault(path, "must have a path and a from that name a field, found %q and %q", o.path.text, o.from.text)
		}
		if o.op == opMove && len(p.faults) == before && len(o.path.segments) > len(o.from.segments) && o.from.isAbove(o.path) {
			p.fault(path+".from", "must not be a parent of the path that the value is moved to, found %q and %q",
				o.from.text, o.path.text)
		}
	case opRemove:
		if o.path.text == "" && len(p.faults) == before {
			p.fault(path+".path", "must name a field: the whole object can't be removed")
		}
	case opAdd, opReplace, opTest:
		if o.value = tree.Get(n, "value"); o.value == nil {
			p.fault(path+".value", "must be set for %s, found nothing; for null, write null", o.op)
		}
	}
	if len(p.faults) > before || o.op == opTest {
		return o
	}
	if o.copiesAll() {
		return o
	}
	last := max(len(o.path.segments)-1, 0)
	if slices.Contains(slices.Concat(o.path.segments[:last], o.from.segments), "") { // which the library takes for the map itself
		p.fault(path, "must name no field inside an empty key, and move or copy none, found %q", cmp.Or(o.from.text, o.path.text))
	}
	o.forLibrary = p.forLibrary(o, path)
	return o
}

// forLibrary returns the operation as the library has it.
func (p *parser) forLibrary(o operation, path string) evanphx.Patch {
	members := []any{"op", o.op, "path", o.path.text}
	if o.op == opMove || o.op == opCopy {
		members = append(members, "from", o.from.text)
	}
	if o.value != nil {
		members = append(members, "value", o.value)
	}
	text, err := tree.MarshalJSON(tree.NewList(tree.NewMap(members...)))
	var patch evanphx.Patch
	if err == nil {
		patch, err = evanphx.DecodePatch(text)
	}
	if err != nil {
		p.fault(path, "must be an operation that can be written in JSON: %s", err)
	}
	return patch
}

func (p *parser) op(n *tree.Node, path string) string {
	op := tree.Get(n, "op")
	switch {
	case op == nil:
		p.fault(path+".op", "must be %s, found nothing", words.List(ops))
	case !slices.Contains(ops, op.Text()) || tree.Type(op) != tree.String:
		p.fault(path+".op", "must be %s, found %s%s", words.List(ops), config.Found(op), words.DidYouMean(op.Text(), ops))
	default:
		return op.Text()
	}
	return ""
}

func (p *parser) pointer(n *tree.Node, path, member string) pointer {
	text := tree.Get(n, member)
	if tree.Type(text) != tree.String {
		found := "nothing"
		if text != nil {
			found = config.Found(text)
		}
		p.fault(path+"."+member, "must be a JSON Pointer such as /spec/replicas, found %s", found)
		return pointer{}
	}
	parsed, fault := parsePointer(text.Text())
	if fault != "" {
		p.fault(path+"."+member, "%s", fault)
	}
	return parsed
}

// copiesAll tells whether the operation copies the whole document, which the library can't.
func (o operation) copiesAll() bool { return o.op == opCopy && o.from.text == "" }

// isTooDeep tells whether no value can be so deep.
func (p pointer) isTooDeep() bool { return len(p.segments) > tree.MaxDepth }

// isLax tells whether the library may take the operation where the RFC or a limit of ours does not,
// so that the object must be looked at before it.
func (o operation) isLax() bool {
	if o.op == opTest || o.path.text == "" || o.path.isTooDeep() {
		return true
	}
	return slices.ContainsFunc(slices.Concat(o.path.segments, o.from.segments), func(segment string) bool {
		_, isIndex := location.ListIndex(segment)
		_, err := strconv.Atoi(segment)
		return segment == "" || err == nil && !isIndex
	})
}
