package ignorefields

import (
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/livevalue"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// keeper strips the fields that another manager then owns, and gives the others, which would be
// reset or removed, their live values.
type keeper struct {
	job     *job
	kind    *schema.Kind
	entries []managedfields.Entry
	// left are the stripped fields, kept those with live values.
	left []rules.Found
	kept []taken
}

// keep strips the fields that stripping leaves to another manager. The others get their live
// values; those that the live object does not have stay as the package sets them.
func (j *job) keep() error {
	k := &keeper{
		job: j, kind: j.schema(), entries: j.managed().entries,
	}
	if err := j.compare(k.choose); err != nil {
		return err
	}
	if err := j.compareInside(k.chooseInside); err != nil {
		return err
	}
	if err := j.applyTaking(append(j.taking.Parents, j.foundParents()...)); err != nil {
		return err
	}
	j.reportFields(report.ReasonFieldsIgnored, "removed", k.left)
	j.reportTaken(report.ReasonFieldsKept, "kept with the live value", k.kept)
	return nil
}

// choose returns what of the live value the output has; nil for nothing.
func (k *keeper) choose(p livevalue.PairedField) *tree.Node {
	f := k.job.takers[p.By]
	if p.IsMoved && p.At[0].Key != stringData {
		return k.chooseMoved(f, p)
	}
	value, why := k.unshared(p)
	if p.IsMoved && value != nil {
		text, isText := rules.SecretText(value.Text())
		if value = tree.NewString(text); !isText { // nobody else owns it, so it stays
			value = nil
		}
	}
	f.Location = p.At
	switch {
	case value != nil:
		k.keep(f, p.Old, value, why)
	case p.Old != nil:
		k.left = append(k.left, f)
	}
	return value
}

// chooseMoved leaves out a value that the live object has under another name, if another manager
// owns it there, and keeps it as the package sets it if not.
func (k *keeper) chooseMoved(f rules.Found, p livevalue.PairedField) *tree.Node {
	lost, _, isOwned := k.job.notOthers(p.InLive)
	if lost != nil || !isOwned {
		return p.Old
	}
	f.Location = p.At
	k.left = append(k.left, f)
	return nil
}

// stringData has the texts of a Secret that the API server moves into its data.
const stringData = "stringData"

// unshared returns what of a live value stripping would not leave to another manager, and why.
func (k *keeper) unshared(p livevalue.PairedField) (value *tree.Node, why string) {
	if k.job.isServerSet(p.At) {
		return nil, ""
	}
	if k.isKey(p.At) {
		return p.Value, "which identifies its list element"
	}
	if atomic := k.atomicAround(p); atomic != nil {
		if k.kind.Origin == schema.Assumed {
			return p.Value, "inside the list " + atomic.String() + ", which counts as atomic without a schema of the kind"
		}
		return p.Value, "inside the atomic list or map " + atomic.String()
	}
	if len(k.entries) == 0 {
		return p.Value, "whose owner is not known without managedFields"
	}
	value, managers, isOwned := k.job.notOthers(p.InLive)
	if !isOwned && p.Old != nil {
		return p.Value, "which nobody owns"
	}
	for i, manager := range managers {
		managers[i] = strconv.Quote(manager)
	}
	return value, "owned by " + strings.Join(managers, " and ") + " alone"
}

// isKey tells whether a place is a field that identifies an element of a list.
func (k *keeper) isKey(l location.Location) bool {
	for i := len(l) - 2; i >= 0; i-- {
		if l[i].IsIndex {
			inElement := l[i+1:]
			return slices.ContainsFunc(k.job.mergeKeys(l[:i]), func(f listkey.Part) bool { return location.Compare(f.At, inElement) == 0 })
		}
	}
	return false
}

// atomicAround returns the atomic list or map around a place; nil for none.
func (k *keeper) atomicAround(p livevalue.PairedField) location.Location {
	if k.kind.Origin != schema.Assumed {
		return k.kind.At(p.At).Atomic
	}
	if depth, ok := unownedList(k.entries, p.InLive, k.job.live); ok {
		return p.At[:depth]
	}
	return nil
}

// unownedList returns the depth of the outermost list around a location of a live object of whose
// elements the entries do not own any one by one; false if there is none. Of a kind without a
// schema, such a list is atomic.
func unownedList(entries []managedfields.Entry, l location.Location, live *tree.Node) (int, bool) {
	for i, step := range l {
		if step.IsIndex && managedfields.ListKey(entries, l[:i], live) == nil {
			return i, true
		}
	}
	return 0, false
}

// chooseInside keeps a field of a document in a string, since the string has one owner.
func (k *keeper) chooseInside(t *takingInside) func(livevalue.PairedField) *tree.Node {
	return func(p livevalue.PairedField) *tree.Node {
		f := t.found(p.At, p.By)
		k.keep(f, p.Old, p.Value, "inside the string "+t.at.String())
		return p.Value
	}
}

func (k *keeper) keep(f rules.Found, old, value *tree.Node, why string) {
	t := k.job.takenField(f, old, value)
	t.why, t.isSame = why, old != nil && tree.Equal(old, value)
	k.kept = append(k.kept, t)
}

// isServerSet tells whether only the API server sets the field, whatever an apply has of it.
func (j *job) isServerSet(l location.Location) bool {
	if len(l) > 1 && l[0].Key == "metadata" {
		return slices.Contains(schema.ServerSet, l[1].Key)
	}
	return j.isStatus(l)
}

// isStatus tells whether the field belongs to the status that an apply to the object leaves alone:
// that of a subresource, also if no schema says.
func (j *job) isStatus(l location.Location) bool {
	if len(l) == 0 || l[0].Key != "status" {
		return false
	}
	kind := j.schema()
	return kind.StatusSubresource || kind.Origin == schema.Assumed
}
