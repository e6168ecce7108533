package engine

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/author/plan"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Verdict is what the next server-side apply makes of an object, of a field, or of the fields of an
// expression.
type Verdict struct {
	Object string `json:"object,omitempty"`
	// Path is the field of the object, or the expression: ignoreFields[0].jsonPointers[1].
	Path    string `json:"path,omitempty"`
	Verdict string `json:"verdict"`
	Message string `json:"message,omitempty"`
}

// planRequest asks for the plan of an apply by a field manager; "" for the usual one.
type planRequest struct {
	runRequest
	Manager string `json:"manager"`
}

// planAnswer is what applying the output of a run would do.
type planAnswer struct {
	Plan []Verdict `json:"plan"`
	// PlanText is the same for a person.
	PlanText string `json:"planText"`
	// Manager is the field manager that the plan is for, and Managers are those that there are.
	Manager  string   `json:"manager"`
	Managers []string `json:"managers"`
}

// planRun predicts what applying the output of a run does. Where that fails, or there are no live
// objects, there is no plan.
func planRun(q planRequest) (planAnswer, error) {
	a := planAnswer{Plan: []Verdict{}, Managers: []string{}}
	r := newRunner()
	if !q.hasLive() || !r.readTexts(q.runRequest) {
		return a, nil
	}
	if strings.TrimSpace(q.Config) != "" { // else the manifests are applied as they are
		if ok, err := r.readConfig(); !ok || err != nil {
			return a, err
		}
	}
	a.Manager, a.Managers = appliers(r.live.objects)
	a.Manager = cmp.Or(q.Manager, a.Manager)
	made, err := r.plan(a.Manager)
	if made == nil || err != nil {
		return a, err
	}
	for _, o := range made.Objects {
		a.Plan = append(a.Plan, Verdict{Object: o.Ref.String(), Verdict: o.Outcome, Message: o.Cause})
		for _, c := range o.Conflicts {
			a.Plan = append(a.Plan, Verdict{
				Object: o.Ref.String(), Path: strings.TrimPrefix(c.Field, "."), Verdict: plan.Conflict, Message: "owned by " + c.Manager,
			})
		}
	}
	for _, rule := range made.Rules {
		a.Plan = append(a.Plan, Verdict{Path: rule.Path, Verdict: rule.Verdict, Message: rule.String()})
	}
	var text bytes.Buffer
	err = made.WriteText(&text, false)
	a.PlanText = text.String()
	return a, err
}

// appliers returns the field managers that apply packages to live objects, and the one of them that
// owns most there: kubectl where none has applied.
func appliers(live []*object.Object) (most string, all []string) {
	sizes := map[string]int{managedfields.Kubectl: 0}
	for _, o := range live {
		entries, _ := managedfields.Of(o.Root()) // of whose faults the plan tells
		for _, e := range entries {
			switch {
			case e.Manager == managedfields.ClientSideApply: // which kubectl takes over
				sizes[managedfields.Kubectl] += e.Size()
			case e.Applies():
				sizes[e.Manager] += e.Size()
			}
		}
	}
	most, all = managedfields.Kubectl, slices.Sorted(maps.Keys(sizes))
	for _, manager := range all {
		if sizes[manager] > sizes[most] {
			most = manager
		}
	}
	return most, all
}

// plan makes the plan of an apply by a field manager; nil where the run fails.
func (r *runner) plan(manager string) (*plan.Plan, error) {
	as := managedfields.Tools[0]
	if i := slices.IndexFunc(managedfields.Tools, func(t *managedfields.Tool) bool { return t.Manager == manager }); i > 0 {
		as = managedfields.Tools[i]
	}
	var steps []hostless.ConfigStep
	if r.functionConfig != nil {
		steps = append(steps, hostless.ConfigStep{FunctionConfig: r.functionConfig.Root(), Path: fileOf(inConfig)})
	}
	made, _, _, err := plan.Make(plan.Options{World: &world.World{
		Steps: steps, Objects: r.manifests.copies(), Live: r.live.copies(), HasLive: true, As: as, Manager: manager,
	}})
	return made, err
}
