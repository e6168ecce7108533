package cluster

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"testing"
)

var played = flag.Int("histories", 300, "how many histories TestHistories plays")

// history is what happens to one object, and the package that we apply to it.
type history struct {
	api        *api
	r          *rand.Rand
	kind       int
	name, path string
	ours       object
	told       []string
	moments    []moment
}

// moment is the world after a step, and what the API server says of our apply.
type moment struct {
	live, ours object
	told       []string
	outcome    string
	conflicts  []conflict
	forced     bool // an apply by force changes a value
	refused    bool // one by force is refused
}

// TestHistories plays what people do to objects. After every step, plan has the outcome and the
// conflicts of the API server, and diff shows the object exactly where an apply by force changes a
// value. Without the entries of updates, plan must fall short. One history: -histories 1 -seed N.
func TestHistories(t *testing.T) {
	api := newAPI(t)
	all := make([]*history, *played)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < len(all); i += workers {
				seed := *seed + uint64(i)
				h := &history{api: api, r: rand.New(rand.NewPCG(seed, 2)), name: fmt.Sprint("history", seed)}
				h.play()
				all[i] = h
			}
		})
	}
	group.Wait()
	var moments []moment
	for _, h := range all {
		moments = append(moments, h.moments...)
	}

	faults := planFaults(t, moments)
	for _, fault := range faults {
		t.Error(fault)
	}
	checkDiff(t, moments)
	for i, m := range moments {
		moments[i].live = withoutUpdates(m.live)
	}
	broken := planFaults(t, moments)
	if len(broken) == 0 && *played >= 100 {
		t.Error("plan must fall short without the entries of updates")
	}
	counts := map[string]int{}
	for _, m := range moments {
		counts[m.outcome]++
	}
	t.Logf("%v", counts)
	t.Logf("%d histories, %d steps; without the entries of updates %d fail", len(all), len(moments), len(broken))
}

func (h *history) play() {
	h.kind = pick(h.r, []int{anyDeployment, anyDeployment, anySecret})
	h.begin()
	defer h.remove()
	for range 5 {
		story := pick(h.r, stories)
		for story.kind != h.kind {
			story = pick(h.r, stories)
		}
		story.tell(h)
		h.told = append(h.told, story.name)
		h.look()
	}
}

// look keeps the moment under a name of its own, so that one plan can take all.
func (h *history) look() {
	live := h.api.do(http.MethodGet, h.path, "", nil).object
	plain := h.api.patch(h.path, "kubectl&dryRun=All", applyPatch, h.ours, false)
	forced := h.api.patch(h.path, "kubectl&dryRun=All", applyPatch, h.ours, true)
	m := moment{told: slices.Clone(h.told), outcome: "refused", refused: forced.code != http.StatusOK}
	switch {
	case plain.code == http.StatusConflict:
		m.outcome, m.conflicts = "conflict", conflictsOf(plain.object)
	case plain.code == http.StatusOK && text(stable(plain.object)) == text(stable(live)):
		m.outcome = "unchanged"
	case plain.code == http.StatusOK:
		m.outcome = "change"
	}
	m.forced = !m.refused && len(changed(live, forced.object)) > 0
	name := fmt.Sprint(h.name, "-", len(h.told))
	m.live, m.ours = renamedTo(live, name), renamedTo(h.ours, name)
	h.moments = append(h.moments, m)
}

// renamedTo is a copy under another name.
func renamedTo(o object, name string) (named object) {
	if err := json.Unmarshal([]byte(text(o)), &named); err != nil {
		panic(err)
	}
	inner(named, "metadata")["name"] = name
	return named
}

func sides(moments []moment) (live, ours []object) {
	for _, m := range moments {
		live, ours = append(live, m.live), append(ours, m.ours)
	}
	return live, ours
}

// planFaults are the moments of which plan says something else than the API server.
func planFaults(t *testing.T, moments []moment) (faults []string) {
	live, ours := sides(moments)
	got := asAdmin.run(t, "krm-fields", "plan", "--live", jsonFile(t, live), "-o", "json", jsonFile(t, ours))
	var plan struct {
		Objects []struct {
			Name, Outcome, Cause string
			Conflicts            []conflict
		}
	}
	decode(t, got.out, &plan)
	if len(plan.Objects) != len(moments) {
		t.Fatalf("there must be a plan of %d objects, found %d\n%s", len(moments), len(plan.Objects), got.err)
	}
	of := map[string]int{}
	for i, o := range plan.Objects {
		of[o.Name] = i
	}
	for _, m := range moments {
		o := plan.Objects[of[inner(m.ours, "metadata")["name"].(string)]]
		same := len(o.Conflicts)+len(m.conflicts) == 0 || reflect.DeepEqual(sorted(o.Conflicts), m.conflicts)
		if o.Outcome != m.outcome || !same {
			faults = append(faults, fmt.Sprintf("%s after %q: the API server says %s %v, plan %s %v %s\nlive: %s\npackage: %s", o.Name, m.told,
				m.outcome, m.conflicts, o.Outcome, o.Conflicts, o.Cause, text(m.live), text(m.ours)))
		}
	}
	return faults
}

// checkDiff holds diff against an apply by force.
func checkDiff(t *testing.T, moments []moment) {
	live, ours := sides(moments)
	got := asAdmin.run(t, "krm-fields", "diff", "--live", jsonFile(t, live), "-o", "json", jsonFile(t, ours))
	var diff struct{ Objects []struct{ Name string } }
	decode(t, got.out, &diff)
	shown := map[string]bool{}
	for _, o := range diff.Objects {
		shown[o.Name] = true
	}
	held := 0
	for _, m := range moments {
		name := inner(m.ours, "metadata")["name"].(string)
		if m.refused {
			continue
		}
		if held++; shown[name] != m.forced {
			t.Errorf("%s after %q: an apply by force changes a value: %v, diff shows one: %v\nlive: %s\npackage: %s", name, m.told, m.forced,
				shown[name], text(m.live), text(m.ours))
		}
	}
	t.Logf("diff held %d times", held)
}

// withoutUpdates is the object of a world that knows of no update.
func withoutUpdates(live object) object {
	named := renamedTo(live, inner(live, "metadata")["name"].(string))
	metadata := inner(named, "metadata")
	entries, _ := metadata["managedFields"].([]any)
	metadata["managedFields"] = slices.DeleteFunc(entries, func(e any) bool { return e.(object)["operation"] == "Update" })
	return named
}
