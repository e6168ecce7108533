package engine

import (
	"bytes"
	"strings"

	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/author/plan"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
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

// fieldManager is that of kubectl apply --server-side.
const fieldManager = "kubectl"

// planAnswer is what applying the output of a run would do.
type planAnswer struct {
	Plan []Verdict `json:"plan"`
	// PlanText is the same for a person.
	PlanText string `json:"planText"`
}

// planRun predicts what applying the output of a run does. Where that fails, or there are no live
// objects, there is no plan.
func planRun(q runRequest) (planAnswer, error) {
	a := planAnswer{Plan: []Verdict{}}
	r := newRunner()
	if ok, err := r.read(q); !ok || err != nil || !q.hasLive() {
		return a, err
	}
	made, err := r.plan()
	if made == nil || err != nil {
		return a, err
	}
	for _, o := range made.Objects {
		a.Plan = append(a.Plan, Verdict{Object: o.Ref().String(), Verdict: o.Outcome, Message: o.Cause})
		for _, c := range o.Conflicts {
			a.Plan = append(a.Plan, Verdict{
				Object: o.Ref().String(), Path: strings.TrimPrefix(c.Field, "."), Verdict: plan.Conflict, Message: "owned by " + c.Manager,
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

// plan makes the plan; nil where the run fails.
func (r *runner) plan() (*plan.Plan, error) {
	live := hostless.MarkLive(r.live.copies())
	steps := []hostless.Step{{FunctionConfig: r.functionConfig.Root(), Path: fileOf(inConfig)}}
	made, _, _, err := plan.Make(plan.Options{
		Steps: steps, Objects: r.manifests.copies(), Live: live, As: managedfields.Tools[0], Manager: fieldManager,
	})
	return made, err
}
