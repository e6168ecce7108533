package diff

import (
	"reflect"
	"slices"

	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// External compares what kubectl diff has written: the objects of the world are those that an apply
// would store. kubectl has carried out the patches, so those of the steps are left out.
func (o Options) External(w *world.World) (Comparison, error) {
	w.Steps = slices.DeleteFunc(slices.Clone(w.Steps), func(s hostless.ConfigStep) bool { return !s.Kind().ReadsLive })
	all, out := withLiveValues(w)
	if out.HasFailed {
		return out, nil
	}
	isPaired := map[*object.Object]bool{}
	for _, c := range all {
		live, err := w.LiveOf(c.object)
		if err != nil {
			return out, err
		}
		texts := explain.Texts{Ref: c.object.Ref()}
		for _, l := range c.hidden {
			if live != nil && tree.Equal(location.At(live.Root(), l), location.At(c.object.Root(), l)) {
				live.Remove([]location.Location{l})
				c.object.Remove([]location.Location{l})
			}
		}
		if texts.After, err = withoutServerSet(c.object); err == nil && live != nil {
			texts.Before, err = withoutServerSet(live)
			isPaired[live] = true
			if err == nil {
				err = o.align(&texts, w.Kind(texts.Ref).Type, tree.Value(live.Root()), tree.Value(c.object.Root()))
			}
		}
		if err != nil {
			return out, err
		}
		out.Texts = append(out.Texts, texts)
	}
	for _, live := range w.Live {
		if isPaired[live] {
			continue
		}
		text, err := withoutServerSet(live)
		if err != nil {
			return out, err
		}
		out.Texts = append(out.Texts, explain.Texts{Ref: live.Ref(), Before: text})
	}
	for i, texts := range out.Texts {
		out.Texts[i].File, out.Texts[i].Kind = texts.Ref.String(), w.Kind(texts.Ref)
	}
	return out, nil
}

// align writes both texts anew where the live object has another order that means nothing, if that
// is ignored.
func (o Options) align(texts *explain.Texts, t *schema.Type, live, merged any) (err error) {
	aligned := t.Align(live, merged)
	texts.Reordered = !o.IgnoreOrder && !reflect.DeepEqual(aligned, live)
	if !o.IgnoreOrder || reflect.DeepEqual(aligned, live) {
		return nil
	}
	if texts.Before, err = object.NewDocument(tree.FromValue(aligned)).Text(); err == nil {
		texts.After, err = object.NewDocument(tree.FromValue(merged)).Text()
	}
	return err
}

// withoutServerSet returns the text of an object without what only the API server sets.
func withoutServerSet(o *object.Object) ([]byte, error) {
	world.RemoveServerSet(o)
	return object.NewDocument(tree.Copy(o.Root())).Text()
}
