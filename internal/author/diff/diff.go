// Package diff tells what differs between a package and the cluster: what a server-side apply that
// forces conflicts would change, except the fields that rules find on either side.
package diff

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Comparison is what a comparison finds.
type Comparison struct {
	// Texts are of each object that differs: what the cluster has of what the package sets, and the
	// package.
	Texts []explain.Texts
	// Results are those of the rules, and errors about objects that are not compared.
	Results []report.Result
	// HasFailed tells that a functionConfig has failed, so that nothing is compared.
	HasFailed bool
}

// compared is an object of the package with the live values of the fields that rules find.
type compared struct {
	object *object.Object
	// hidden are its places that are not compared.
	hidden []location.Location
}

// Options are how a comparison is made.
type Options struct {
	// IgnoreOrder compares lists whose order means nothing to the API without it.
	IgnoreOrder bool
}

// Of compares a package with the cluster.
func (o Options) Of(w *world.World) (Comparison, error) {
	all, out := withLiveValues(w)
	if out.HasFailed {
		return out, nil
	}
	schemas, _ := w.Schemas()
	texts, results := make([]*explain.Texts, len(all)), make([][]report.Result, len(all))
	err := parallel.Each(len(all), func(i int) (err error) {
		if !hostless.IsLocal(all[i].object) {
			texts[i], results[i], err = o.textsOf(w, schemas, all[i])
		}
		return errors.Join(err, all[i].object.Flush())
	})
	out.Results = slices.Concat(out.Results, slices.Concat(results...))
	for i := range all {
		if texts[i] != nil {
			out.Texts = append(out.Texts, *texts[i])
		}
	}
	return out, err
}

// withLiveValues runs the functionConfigs on copies of the objects, so that an apply changes
// nothing at the fields that the rules find.
func withLiveValues(w *world.World) ([]compared, Comparison) {
	copies := lists.Map(slices.DeleteFunc(slices.Clone(w.Objects), hostless.IsLocal), func(o *object.Object) *object.Object {
		copied := o.Copy()
		if why := w.Unread[o]; why != nil {
			w.NoteUnread(copied, why)
		}
		return copied
	})
	world.RemoveHashes(w.Steps, copies)
	run := world.World{Objects: copies, Live: lists.Map(w.Live, (*object.Object).Copy), HasLive: true, Definitions: w.Definitions, Mask: w.Mask}
	var traces []*ignorefields.Trace
	for _, step := range w.Steps {
		trace := &ignorefields.Trace{FoundOnly: true}
		step.Options = &ignorefields.Options{Trace: trace, Purpose: func(c *ignorefields.Config) {
			ignorefields.Comparison(c)
			ignorefields.WithoutUnclear(w.NoteUnread)(c)
		}}
		run.Steps, traces = append(run.Steps, step), append(traces, trace)
	}
	items := make([][]*object.Object, len(traces))
	session := run.Session(hostless.Settings{Before: func(step int, objects []*object.Object) { items[step] = slices.Clone(objects) }})
	ran, _ := session.Run(copies)
	results, _ := session.End()
	out := Comparison{HasFailed: session.HasFailed(), Results: slices.DeleteFunc(results, func(r report.Result) bool {
		reason := r.Tags["reason"]
		return isInfo(r) || reason == report.ReasonLiveKindMissing || reason == report.ReasonInvalidManagedFields // told below
	})}
	hidden := map[*object.Object][]location.Location{}
	for step, trace := range traces {
		for i, o := range items[step] {
			if i < len(trace.Objects) && trace.Objects[i] != nil {
				hidden[o] = append(hidden[o], trace.Objects[i].Places...)
			}
		}
	}
	world.RemoveHashes(w.Steps, w.Live)
	return lists.Map(ran.Out, func(o *object.Object) compared { return compared{o, hidden[o]} }), out
}

func isInfo(r report.Result) bool { return r.Severity == report.SeverityInfo }

// textsOf returns the texts of both sides; nil if they do not differ. The results are about the
// live object, and one is the error of an object that is not compared.
func (o Options) textsOf(w *world.World, schemas *schema.Schemas, of compared) (*explain.Texts, []report.Result, error) {
	p, results := w.Pair(of.object)
	if results = slices.DeleteFunc(results, isInfo); fn.HasError(results) {
		return nil, results, nil
	}
	kind := w.Kind(p.Ref)
	d, err := o.changes(w, schemas, p, kind)
	if err != nil {
		result := report.New(report.SeverityError, report.ReasonRunError, w.Mask.Error(err, p.Shown.HasSecret())).Of(p.Ref, p.File)
		return nil, append(results, result), nil
	}
	if p.Live != nil && d.before.isEmpty() && d.after.isEmpty() {
		return nil, results, nil
	}
	text, err := of.object.Document()
	if err != nil {
		return nil, results, err
	}
	d.hide(of.hidden)
	texts := &explain.Texts{Ref: p.Ref, File: p.File.Path, Kind: kind, Shown: p.Shown, Reordered: d.isReordered}
	if texts.After, err = d.after.text(text); err == nil && p.Live != nil {
		texts.Before, err = d.before.text(text)
	}
	return texts, results, err
}

// changes predicts what an apply changes.
func (o Options) changes(w *world.World, schemas *schema.Schemas, p *world.Pair, kind *schema.Kind) (*differ, error) {
	here, err := tree.KubectlObject(p.Desired)
	if err != nil {
		return nil, fmt.Errorf("can't be compared: %w", err)
	}
	if metadata, ok := here["metadata"].(map[string]any); ok {
		for _, name := range schema.ServerSet { // as an exported manifest has them
			delete(metadata, name)
		}
	}
	prediction, err := merge.Predict(schemas, merge.Apply{Live: p.Live, Entries: p.Entries, Package: here, Manager: w.Manager, Force: true, As: w.As})
	if err != nil {
		return nil, fmt.Errorf("can't be compared: %w", err)
	}
	if err = prediction.Refused; err == nil {
		err = prediction.Missing(here)
	}
	if err != nil {
		return nil, fmt.Errorf("the API server would refuse the object: %w", err)
	}
	d := &differ{kind: kind}
	if p.Live == nil {
		return d, nil
	}
	before, after := prediction.States()
	if o.IgnoreOrder {
		before, _ = kind.Type.Align(before, after).(map[string]any)
	}
	if redact.IsSecret(p.Ref.APIVersion, p.Ref.Kind) {
		d.stringData(here, before, after)
	}
	d.maps(here, before, after, kind.Type, location.Location{})
	d.isReordered = !d.before.isEmpty() && !o.IgnoreOrder && !reflect.DeepEqual(kind.Type.Align(before, after), before)
	return d, nil
}
