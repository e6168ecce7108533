// Package jsonpatch applies JSON Patches (https://www.rfc-editor.org/rfc/rfc6902) and JSON Merge
// Patches to YAML nodes. It does so strictly: a path starts with "/" or is empty, an index of a
// list has no sign and no leading zero, `add`, `replace` and `test` need a value. Numbers are equal
// by value.
package jsonpatch

import (
	"fmt"
	"slices"

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
	if !tree.IsMap(n) {
		p.fault(path, "must be a map with op and path, found a %s", tree.Type(n))
		return operation{}
	}
	o := operation{op: p.op(n, path), path: p.pointer(n, path, "path")}
	switch o.op {
	case opMove, opCopy:
		before := len(p.faults)
		o.from = p.pointer(n, path, "from")
		below := o.path.segments[min(len(o.from.segments), len(o.path.segments)):]
		isAbove := len(below) > 0 && slices.Equal(o.from.segments, o.path.segments[:len(o.from.segments)])
		if o.op == opMove && len(p.faults) == before && isAbove {
			p.fault(path+".from", "must not be a parent of the path that the value is moved to, found %q and %q",
				o.from.text, o.path.text)
		}
	case opAdd, opReplace, opTest:
		if o.value = tree.Get(n, "value"); o.value == nil {
			p.fault(path+".value", "must be set for %s, found nothing; for null, write null", o.op)
		}
	}
	return o
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
