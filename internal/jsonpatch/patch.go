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
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// The operations of RFC 6902, section 4, besides replace.
const (
	opAdd    = "add"
	opRemove = "remove"
	opMove   = "move"
	opCopy   = "copy"
	opTest   = "test"
)

// Patch is a JSON Patch, ready to be applied any number of times.
type Patch []operation

type operation struct {
	Op    string     `json:"op" required:"true" enum:"add,remove,replace,move,copy,test"`
	Path  pointer    `json:"path" required:"true"`
	From  pointer    `json:"from"`  // of move and copy; else nil
	Value *tree.Node `json:"value"` // of add, replace and test
	// forLibrary is the operation as the library has it.
	forLibrary evanphx.Patch
}

// Parse reads the patch that n, a list found at path, holds. It returns all faults. Members that
// RFC 6902 does not know are ignored.
func Parse(n *tree.Node, path string) (patch Patch, faults []report.Fault) {
	var decoder config.Decoder
	for i, element := range tree.Elements(n) {
		var o operation
		at := fmt.Sprintf("%s[%d]", path, i)
		found := decoder.Decode(known(element), at, &o)
		found = append(found, report.WithoutFollowUps(o.check(at), found)...)
		if len(found) == 0 {
			found = o.prepare(at)
		}
		patch, faults = append(patch, o), append(faults, found...)
	}
	return patch, faults
}

// known returns an operation with the members that it has in RFC 6902.
func known(n *tree.Node) *tree.Node {
	op := tree.Get(n, "op")
	switch {
	case !tree.IsMap(n):
		return n
	case op != nil && (op.Text() == opMove || op.Text() == opCopy):
		return tree.NewMap("op", op, "path", tree.Get(n, "path"), "from", tree.Get(n, "from"))
	}
	return tree.NewMap("op", op, "path", tree.Get(n, "path"), "value", tree.Get(n, "value"))
}

// check checks an operation at path for what a table of its fields can't say.
func (o *operation) check(path string) []report.Fault {
	fault := func(member, format string, args ...any) []report.Fault {
		return []report.Fault{{Path: path + member, Message: fmt.Sprintf(format, args...)}}
	}
	isMoved, last := o.Op == opMove || o.Op == opCopy, max(len(o.Path)-1, 0)
	switch {
	case isMoved && o.From == nil:
		return fault(".from", "must be set for %s, found nothing", o.Op)
	case !isMoved && o.Op != "" && o.Op != opRemove && o.Value == nil:
		return fault(".value", "must be set for %s, found nothing; for null, write null", o.Op)
	case len(o.Path) == 0 && (isMoved || o.Op == opRemove):
		return fault(".path", "must name a field for %s, found the whole object", o.Op)
	case o.Op == opMove && len(o.From) < len(o.Path) && slices.Equal(o.From, o.Path[:len(o.From)]):
		return fault(".from", "must not be a parent of the path that the value is moved to, found %q and %q", o.From, o.Path)
	case slices.Contains(slices.Concat(o.Path[:last], o.From), ""): // which the library takes for the map itself
		return fault("", "must name no field inside an empty key, and move or copy none, found %q", cmp.Or(o.From.String(), o.Path.String()))
	}
	return nil
}

// prepare makes an operation at path one of the library.
func (o *operation) prepare(path string) []report.Fault {
	text, err := tree.MarshalJSON(tree.NewList(tree.NewMap("op", o.Op, "path", inWhole(o.Path), "from", inWhole(o.From), "value", o.Value)))
	if err == nil {
		o.forLibrary, err = evanphx.DecodePatch(text)
	}
	if err != nil {
		return []report.Fault{{Path: path, Message: "must be an operation that can be written in JSON: " + err.Error()}}
	}
	return nil
}

// whole is the key under which the library gets a document: there, all of it is a field, which can
// be replaced and copied as any other.
const whole = "object"

func inWhole(p pointer) string { return location.PointerOf(append([]string{whole}, p...)...) }

// isLax tells whether the library may take the operation where the RFC or our limit of depth does
// not, so that the object must be looked at before it.
func (o *operation) isLax() bool {
	return o.Op == opTest || len(o.Path) > tree.MaxDepth || slices.ContainsFunc(slices.Concat(o.Path, o.From), func(segment string) bool {
		_, isIndex := location.ListIndex(segment)
		_, err := strconv.Atoi(segment)
		return segment == "" || err == nil && !isIndex
	})
}
