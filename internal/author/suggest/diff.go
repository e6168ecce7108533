package suggest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Compare compares the objects of a package with those on the cluster. The texts of each that
// differs are that on the cluster, reduced to what the package sets, and that of the package. What
// differs is what a server-side apply as the field manager that forces conflicts would change, by
// its prediction. Whole are the objects of the package before rules took fields out of them, and
// definitions are CustomResourceDefinitions beside them. The results are errors, each about an
// object that is not compared.
func Compare(desired, whole, live, definitions []*object.Object, fieldManager string) ([]explain.Texts, []report.Result, error) {
	index := hostless.Index(live)
	schemas := schemasOf(slices.Concat(desired, live, definitions))
	wholes := map[report.Ref]*object.Object{}
	for _, o := range whole {
		wholes[o.Ref()] = o
	}
	compared, failed := make([]*explain.Texts, len(desired)), make([]*report.Result, len(desired))
	err := parallel.Each(len(desired), func(i int) (err error) {
		o := desired[i]
		p, result := pairOf(o, index, live)
		switch {
		case result != nil && result.Severity == report.SeverityError:
			failed[i] = result
		case p != nil:
			compared[i], failed[i], err = p.texts(schemas, wholes[p.ref], fieldManager)
		}
		return errors.Join(err, o.Flush())
	})
	if err != nil {
		return nil, nil, err
	}
	var faults []report.Result
	var all []explain.Texts
	for i := range desired {
		if failed[i] != nil {
			faults = append(faults, *failed[i])
		}
		if compared[i] != nil {
			all = append(all, *compared[i])
		}
	}
	return all, faults, nil
}

// texts returns the texts of both sides; nil if they do not differ. The result is the error of an
// object that is not compared.
func (p *pairOfObjects) texts(schemas *schema.Schemas, whole *object.Object, fieldManager string) (*explain.Texts, *report.Result, error) {
	d, err := p.changes(schemas, whole, fieldManager)
	if err != nil {
		result := report.New(report.SeverityError, report.ReasonRunError, p.mask.Error(err)).Of(p.ref, p.file)
		return nil, &result, nil
	}
	if p.live != nil && d.before.isEmpty() && d.after.isEmpty() {
		return nil, nil, nil
	}
	text, err := object.NewDocument(tree.Copy(p.desired)).Text()
	texts := &explain.Texts{Ref: p.ref, File: p.file.Path, After: text, Kind: p.schema(schemas)}
	if err != nil || p.live == nil {
		return texts, nil, err
	}
	if texts.Before, err = d.before.text(text); err == nil {
		texts.After, err = d.after.text(text)
	}
	return texts, nil, err
}

// changes predicts what an apply changes. Whole is what rules took fields out of; nil for none.
func (p *pairOfObjects) changes(schemas *schema.Schemas, whole *object.Object, fieldManager string) (*differ, error) {
	here, err := tree.KubectlObject(p.desired)
	if err != nil {
		return nil, fmt.Errorf("can't be compared: %w", err)
	}
	if metadata, ok := here["metadata"].(map[string]any); ok {
		for _, name := range schema.ServerSet { // as an exported manifest has them
			delete(metadata, name)
		}
	}
	prediction, err := merge.Predict(schemas, merge.Apply{
		Live: p.live, Package: here, Manager: fieldManager, Force: true, As: managedfields.ToolNamed(managedfields.Kubectl),
	})
	if err != nil {
		return nil, fmt.Errorf("can't be compared: %w", err)
	}
	err = prediction.Refused
	if err == nil && whole != nil {
		unstripped, _ := tree.KubectlObject(whole.Copy().Root()) // whose keys are those of the object, but for what is stripped
		err = prediction.Missing(unstripped)
	}
	if err != nil {
		return nil, fmt.Errorf("the API server would refuse the object: %w", err)
	}
	d := &differ{}
	if p.live == nil {
		return d, nil
	}
	before, after := prediction.States()
	if p.ref.APIVersion == "v1" && p.ref.Kind == "Secret" {
		d.stringData(here, before, after)
	}
	d.maps(here, before, after, p.schema(schemas).Type, location.Location{})
	return d, nil
}

// differ finds what an apply changes: before are the edits that turn the package's object into the
// live one, reduced to what the package sets, and after those that add what else the apply sets.
type differ struct{ before, after edits }

// edits are the edits of a text.
type edits struct {
	set     []edit
	removed []location.Location
}

// edit sets a value, or puts the elements of a list in another order.
type edit struct {
	at    location.Location
	value any
	order []int
}

func (e *edits) isEmpty() bool { return len(e.set) == 0 && len(e.removed) == 0 }

func (e *edits) put(at location.Location, value any) {
	e.set = append(e.set, edit{at: at, value: value})
}

// text returns a text with the edits.
func (e edits) text(text []byte) ([]byte, error) {
	if e.isEmpty() {
		return text, nil
	}
	o, err := object.ParseDocument(text)
	if err != nil {
		return nil, err
	}
	for _, edit := range e.set {
		value := tree.FromValue(edit.value)
		if edit.order != nil {
			old := location.At(o.Root(), edit.at)
			value = old.Bare()
			for _, i := range edit.order {
				value.Content = append(value.Content, old.Content[i])
			}
		}
		if err := o.Replace(edit.at, value); err != nil {
			return nil, err
		}
	}
	if len(e.removed) > 0 {
		o.Remove(e.removed)
	}
	return o.Text()
}

// values compares a value before and after the apply, which is here in the package.
func (d *differ) values(here, before, after any, t *schema.Type, at location.Location) {
	if reflect.DeepEqual(before, after) {
		return
	}
	switch h := here.(type) {
	case map[string]any:
		b, isMap := before.(map[string]any)
		a, wasMap := after.(map[string]any)
		if isMap && wasMap {
			d.maps(h, b, a, t, at)
			return
		}
	case []any:
		b, isList := before.([]any)
		a, wasList := after.([]any)
		if isList && wasList && d.lists(h, b, a, t, at) {
			return
		}
	}
	d.before.put(at, before)
}

func (d *differ) maps(here, before, after map[string]any, t *schema.Type, at location.Location) {
	keys := map[string]bool{}
	for _, m := range []map[string]any{here, before, after} {
		for key := range m {
			keys[key] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if inner := at.With(location.Key(key)); !isLeftOut(inner) {
			d.member(here, before, after, key, t.Member(key), inner)
		}
	}
}

func (d *differ) member(here, before, after map[string]any, key string, t *schema.Type, at location.Location) {
	h, isHere := here[key]
	b, wasThere := before[key]
	a, isThere := after[key]
	if wasThere == isThere && reflect.DeepEqual(b, a) {
		return
	}
	if location.Compare(at, annotationsAt) == 0 { // some of which are not compared
		b, wasThere = compared(b, isHere)
		a, isThere = compared(a, isHere)
	}
	switch {
	case isHere && wasThere:
		d.values(h, b, a, t, at)
	case isHere:
		d.before.removed = append(d.before.removed, at)
	case reflect.DeepEqual(b, a):
	default: // a change of what the package does not have
		if wasThere {
			d.before.put(at, b)
		}
		if isThere {
			d.after.put(at, a)
		}
	}
}

// compared returns the annotations that are compared, and whether there are any, or must be.
func compared(annotations any, isHere bool) (any, bool) {
	all, _ := annotations.(map[string]any)
	kept := maps.Clone(all)
	maps.DeleteFunc(kept, func(key string, _ any) bool { return isServerAnnotation(key) })
	if kept == nil {
		kept = map[string]any{}
	}
	return kept, isHere || len(kept) > 0
}

// lists compares lists: by the keys or values of their elements, else by their order if they are of
// one length. It returns false where they differ as a whole.
func (d *differ) lists(here, before, after []any, t *schema.Type, at location.Location) bool {
	if t == nil || t.List == nil || t.List.Kind == schema.Atomic {
		if len(here) != len(before) || len(here) != len(after) {
			return false
		}
		for i := range here {
			d.values(here[i], before[i], after[i], t.Element(), at.With(location.Index(i)))
		}
		return true
	}
	if was, _, isReordered := merge.Order(before, after, t); isReordered {
		return d.reordered(here, before, after, was, t, at)
	}
	d.elements(here, before, after, t, at)
	return true
}

// elements compares the elements of lists by their keys or values.
func (d *differ) elements(here, before, after []any, t *schema.Type, at location.Location) {
	ours, theirs, result := merge.Index(here, t), merge.Index(before, t), merge.Index(after, t)
	for i := range here {
		name := merge.Name(here[i], t)
		j, wasThere := theirs[name]
		k, isThere := result[name]
		inner := at.With(location.Index(i))
		switch {
		case ours[name] != i || !isThere:
		case !wasThere:
			d.before.removed = append(d.before.removed, inner)
		default:
			d.values(here[i], before[j], after[k], t.Element(), inner)
		}
	}
	added := len(here)
	for _, element := range before {
		name := merge.Name(element, t)
		_, isHere := ours[name]
		if _, isThere := result[name]; !isHere && !isThere {
			d.before.put(at.With(location.Index(added)), element)
			added++
		}
	}
}

// reordered compares lists whose elements change their order; was are their names before the apply.
// It returns false where those of the package keep their order.
func (d *differ) reordered(here, before, after []any, was []string, t *schema.Type, at location.Location) bool {
	place := func(i int) int {
		if at := slices.Index(was, merge.Name(here[i], t)); at >= 0 {
			return at
		}
		return len(was) // which the cluster does not have
	}
	indices := make([]int, len(here))
	for i := range indices {
		indices[i] = i
	}
	slices.SortStableFunc(indices, func(i, j int) int { return place(i) - place(j) })
	if slices.IsSorted(indices) {
		return false
	}
	list := make([]any, len(here))
	for to, from := range indices {
		list[to] = here[from]
	}
	d.before.set = append(d.before.set, edit{at: at, order: indices})
	known := len(d.after.set)
	d.elements(list, before, after, t, at)
	for i, edit := range d.after.set[known:] {
		edit.at = slices.Clone(edit.at)
		edit.at[len(at)].Index = indices[edit.at[len(at)].Index]
		d.after.set[known+i] = edit
	}
	return true
}

// stringData compares the texts of a Secret, which the server keeps encoded under data, and leaves
// only the others there.
func (d *differ) stringData(here, before, after map[string]any) {
	texts, _ := here["stringData"].(map[string]any)
	old, _ := before["data"].(map[string]any)
	now, _ := after["data"].(map[string]any)
	if len(texts) == 0 {
		return
	}
	restOfOld, restOfNow := maps.Clone(old), maps.Clone(now)
	before["data"], after["data"] = restOfOld, restOfNow
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		was, wasThere := old[key]
		if at := (location.Location{location.Key("stringData"), location.Key(key)}); !wasThere {
			d.before.removed = append(d.before.removed, at)
		} else if was != now[key] {
			encoded, _ := was.(string)
			text, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				text = []byte(encoded)
			}
			d.before.put(at, string(text))
		}
		delete(restOfOld, key)
		delete(restOfNow, key)
	}
}
