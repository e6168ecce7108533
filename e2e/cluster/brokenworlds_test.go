package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
)

// brokenWorlds are worlds with a mistake, each with a sentence that must then fall short.
var brokenWorlds = []struct {
	name string
	// by is who applies, "" for kubectl.
	by    string
	check func(g *group)
	// lives makes the mistake in a live object, and flags make it in the command.
	lives  func(object) object
	flags  []string
	broken func(g *group)
}{
	{name: "updates are no entries", check: plansOutcome, lives: withoutEntries(func(e, _ object) bool { return e["operation"] == "Update" })},
	{name: "applies of others are no entries", check: plansOutcome, lives: withoutEntries(func(e, _ object) bool {
		return e["operation"] == "Apply" && e["manager"] != "kubectl"
	})},
	{name: "subresources are no entries", check: plansOutcome, lives: withoutEntries(func(e, _ object) bool { return e["subresource"] != nil })},
	{name: "entries of other versions are no entries", check: plansOutcome, lives: withoutEntries(func(e, o object) bool { return e["apiVersion"] != o["apiVersion"] })},
	{name: "the newest entry alone counts", check: plansOutcome, lives: func(o object) object {
		newest := ""
		for _, e := range managedFields(o) {
			newest = max(newest, fmt.Sprint(e["time"]))
		}
		return withoutEntries(func(e, _ object) bool { return e["time"] != newest })(o)
	}},
	{name: "every apply is by force", check: plansOutcome, flags: []string{"--force-conflicts"}},
	{name: "the applier has another name", check: plansOutcome, flags: []string{"--field-manager", "other"}},
	{name: "no live object has owners", check: plansUnchanged, lives: withoutManagers},
	{name: "stringData is not there", check: plansOutcome, broken: changePackages(func(o object) { delete(o, "stringData") })},
	{name: "the package is merged into what is there", check: diffsForced, broken: changePackages(func(o object) {
		delete(inner(o, "metadata"), "labels")
		delete(inner(o, "spec"), "replicas")
	})},
	{name: "audit knows kubectl alone", check: auditsContested, lives: withoutEntries(func(e, _ object) bool { return e["manager"] != "kubectl" })},
	{name: "locate reads applies alone", check: locatesOwners, lives: withoutEntries(func(e, _ object) bool { return e["operation"] == "Update" })},
	{name: "suggest --check reads applies alone", check: findsConflicts, lives: withoutEntries(func(e, _ object) bool { return e["operation"] == "Update" })},
	{name: "former appliers are forgotten", by: "kluctl", check: plansLeftover, lives: withoutEntries(func(e, _ object) bool {
		return e["operation"] == "Apply" && e["manager"] != "kluctl"
	})},
}

// withoutEntries leaves entries out of the managedFields.
func withoutEntries(isLeftOut func(entry, whole object) bool) func(object) object {
	return func(o object) object {
		metadata := inner(o, "metadata")
		entries, _ := metadata["managedFields"].([]any)
		metadata["managedFields"] = slices.DeleteFunc(entries, func(e any) bool { return isLeftOut(e.(object), o) })
		return o
	}
}

func changePackages(change func(object)) func(*group) {
	return func(g *group) {
		for _, m := range g.moments {
			m.ours = copyOf(m.ours)
			change(m.ours)
		}
	}
}

// breakWorlds holds sentences in broken worlds, where each must fall short.
func breakWorlds(t *testing.T, moments []*moment) {
	for _, world := range brokenWorlds {
		manager := cmp.Or(world.by, "kubectl")
		moments := slices.DeleteFunc(slices.Clone(moments), func(m *moment) bool { return m.manager != manager })
		g := &group{t: t, manager: manager, flags: world.flags, lives: world.lives, verdict: &verdict{}, seen: map[string]any{}}
		for i := 0; i < len(moments); i += (len(moments)-1)/mostBroken + 1 { // of all steps
			copied := *moments[i]
			g.moments = append(g.moments, &copied)
		}
		if world.broken != nil {
			world.broken(g)
		}
		world.check(g)
		t.Logf("%5d not, %5d held: %s", len(g.faults), g.held, world.name)
		if len(g.faults) == 0 && *played >= 100 {
			t.Errorf("a sentence must fall short where %s", world.name)
		}
	}
}

// mostBroken is how many moments are looked at in a broken world.
const mostBroken = 1000
