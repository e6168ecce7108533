package cli

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/krm-fields/krm-fields/fn/manifestwork"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// unpack puts the manifests of works in the place of the package, which is on the hub, and the
// rules of the works behind the functionConfigs. A package without works is taken for what is in
// one.
func (in *inputs) unpack(streams Streams) error {
	var objects []*object.Object
	var steps []hostless.ConfigStep
	var faults []report.Result
	hub, works := 0, 0
	in.works = map[*object.Object]manifestwork.Manifest{}
	for _, o := range in.objects {
		u, found := manifestwork.Unpack(o)
		switch faults = append(faults, found...); {
		case u == nil:
			hub++
			continue
		case u.Rules != nil:
			steps = append(steps, hostless.ConfigStep{FunctionConfig: u.Rules, Path: o.File().Path, Work: u})
		}
		works++
		for _, m := range u.Manifests {
			if m.Strategy != "ReadOnly" {
				objects = append(objects, m.Object)
				in.works[m.Object] = m
			}
		}
	}
	if len(faults) > 0 {
		printResults(streams.Err, faults)
		return errors.New("the works above have faults, so it is not known what the agent applies")
	}
	if works == 0 {
		return nil
	}
	in.objects, in.steps = objects, append(in.steps, steps...)
	if hub > 0 {
		in.skipped = append(in.skipped, report.New(report.SeverityInfo, report.ReasonSkipped,
			words.Count(hub, "object")+" beside the works, which the agent does not apply"))
	}
	return nil
}

// applyWorks says of each manifest of a work who applies it, or why that is not planned. A manager
// of --field-manager is that of all.
func (in inputs) applyWorks(w *world.World, manager string) {
	w.Appliers = map[*object.Object]world.Applier{}
	for o, m := range in.works {
		switch {
		case !m.IsServerSide():
			w.Unread[o] = fmt.Errorf(
				"only a server-side apply is planned, and the updateStrategy of the manifest is %s; type: ServerSideApply applies it so", m.Strategy)
		case m.Differs != "":
			w.Unread[o] = errors.New("it is not known what the agent applies: " + m.Differs)
		default:
			w.Appliers[o] = world.Applier{Manager: cmp.Or(manager, m.Manager), Force: m.Force}
		}
	}
}

// copied has copies of the objects, which a run may edit.
func (in inputs) copied() inputs {
	works := map[*object.Object]manifestwork.Manifest{}
	in.objects = lists.Map(in.objects, func(o *object.Object) *object.Object {
		copied := o.Copy()
		if m, ok := in.works[o]; ok {
			works[copied] = m
		}
		return copied
	})
	in.works = works
	return in
}
