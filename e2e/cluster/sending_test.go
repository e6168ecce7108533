package cluster

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// plansRun sends what run --live writes with the rules, as a dry run.
func plansRun(g *group) {
	live, all := g.live(g.moments), packages(g.moments)
	config := g.configs(g.moments)
	if config == nil {
		return
	}
	got := g.run("run", live, all, append(config, "-o", "json")...)
	if got.code != 0 {
		g.t.Fatalf("run must succeed\n%s", got.err)
	}
	out := printedObjects(g.t, got.out)
	plan, _, _ := g.plan(live, all, config...)
	diff := g.diff(live, all, config...)
	for _, m := range g.moments {
		if len(m.rules) == 0 {
			continue
		}
		outcome, conflicts := m.outcomeOf(m.dryRun(out[m.name], m.manager, false))
		forced := m.dryRun(out[m.name], m.manager, true)
		p := plan[m.name]
		if m.isUnknown(p) {
			continue
		}
		if p.Outcome != outcome || len(conflicts)+len(p.Conflicts) > 0 && !reflect.DeepEqual(sorted(p.Conflicts), conflicts) {
			g.fault(m, "with the rules, the API server says %s %v, plan %s %v %s\nrun: %s", outcome, conflicts, p.Outcome, p.Conflicts, p.Cause, text(out[m.name]))
			continue
		}
		g.held++
		_, isShown := diff[m.name]
		if m.live == nil || forced.code != http.StatusOK {
			continue
		}
		isChanged := len(changed(m.withoutRules(m.live), m.withoutRules(m.renamed(forced.object, m.name)))) > 0
		if isChanged != isShown {
			g.fault(m, "with the rules, an apply by force changes a value beside them: %t, and diff shows one: %t\nrun: %s", isChanged, isShown, text(out[m.name]))
		}
	}
}

// withoutRules is an object without the fields of the rules.
func (m *moment) withoutRules(o object) object {
	o = copyOf(o)
	for _, path := range m.allRuled() {
		steps := segments.FindAllString(path, -1)
		last := steps[len(steps)-1]
		around := strings.TrimSuffix(strings.TrimSuffix(path, last), ".")
		switch parent := valueAt(o, around).(type) {
		case object:
			delete(parent, last)
			for _, of := range []object{o, inner(o, "metadata")} {
				for _, key := range []string{"data", "binaryData", "labels"} {
					if values, ok := of[key].(object); ok && len(values) == 0 {
						delete(of, key)
					}
				}
			}
		case []any:
			if element, ok := valueAt(o, path).(object); ok {
				clear(element)
			}
		}
	}
	return o
}

// allRuled are the paths of all rules.
func (m *moment) allRuled() (paths []string) {
	for rule := range m.rules {
		paths = append(paths, m.ruled(rule)...)
	}
	return paths
}

// stored is where the API server keeps the field of a rule, and whether that is another place.
func (m *moment) stored(path string) (string, bool) {
	if key, isText := strings.CutPrefix(path, "stringData."); isText && m.kind == anySecret {
		return "data." + key, true
	}
	return path, false
}

// appliedMoment is a moment of which krm-fields has applied the package.
type appliedMoment struct {
	*moment
	plan                  planOfObject
	outcome, again        string
	before, after, second object
}

// applies applies the packages of the moments whose story is that.
func (g *group) applies() []appliedMoment {
	return once(g, "apply", func() (all []appliedMoment) {
		moments := slices.DeleteFunc(slices.Clone(g.moments), func(m *moment) bool { return !m.isApplied })
		if len(moments) == 0 {
			return nil
		}
		here := make([]*moment, len(moments)) // under the names on the cluster
		for i, m := range moments {
			copied := *m
			copied.name, copied.ours, copied.live = m.history.name, m.renamed(m.ours, m.history.name), m.renamed(m.live, m.history.name)
			copied.others = nil
			here[i] = &copied
		}
		live, sent := g.live(here), packages(here)
		config := g.configs(here)
		plan, _, _ := g.plan(live, sent, append(config, "--as", "krm-fields")...)
		send := func() map[string]string {
			args := slices.Concat([]string{"krm-fields", "apply", "--crds", crds, "--field-manager", g.manager, "-o", "json"}, config, []string{jsonFile(g.t, sent)})
			c := asAdmin
			c.folder = "."
			got := c.run(g.t, args...)
			var list struct {
				Objects []struct{ Name, Outcome string }
			}
			if err := json.Unmarshal([]byte(got.out), &list); err != nil {
				g.t.Fatalf("apply must tell of each object\n%s%s", got.out, got.err)
			}
			outcomes := map[string]string{}
			for _, o := range list.Objects {
				outcomes[o.Name] = o.Outcome
			}
			return outcomes
		}
		read := func(m *moment) object { return m.api.do(http.MethodGet, m.path(), "", nil).object }
		outcomes := send()
		for _, m := range here {
			all = append(all, appliedMoment{moment: m, plan: plan[m.name], outcome: outcomes[m.name], before: m.live, after: read(m)})
		}
		outcomes = send()
		for i, a := range all {
			all[i].again, all[i].second = outcomes[a.name], read(a.moment)
		}
		return all
	})
}

func versionOf(o object) any { return inner(o, "metadata")["resourceVersion"] }

func appliesPlan(g *group) {
	for _, a := range g.applies() {
		want := map[string]string{"create": "created", "change": "applied", "unchanged": "unchanged", "conflict": "failed", "refused": "failed"}[a.plan.Outcome]
		isWritten := versionOf(a.before) != versionOf(a.after)
		got, expected := stable(a.after), stable(a.plan.Merged)
		if a.kind == anySecret { // whose values plan does not show
			for _, o := range []object{got, expected} {
				for _, values := range []object{inner(o, "data"), inner(inner(o, "metadata"), "labels"), inner(inner(o, "metadata"), "annotations")} {
					for key := range values {
						values[key] = "***"
					}
				}
			}
		}
		entries, planned := take(got), take(expected)
		sortByText(entries)
		sortByText(planned)
		switch {
		case a.isUnknown(a.plan):
		case a.outcome != want && (a.plan.Outcome != "unchanged" || a.outcome != "applied" || !a.assumes()):
			g.fault(a.moment, "plan says %s %s, and apply %s", a.plan.Outcome, a.plan.Cause, a.outcome)
		case isWritten != (want == "applied" || want == "created"):
			g.fault(a.moment, "plan says %s, apply %s, and the object is written: %t", a.plan.Outcome, a.outcome, isWritten)
		case isWritten && (!reflect.DeepEqual(got, expected) || !reflect.DeepEqual(entries, planned)):
			g.fault(a.moment, "apply writes\n%s\n%s\nplan says\n%s\n%s", text(got), text(entries), text(expected), text(planned))
		default:
			g.held++
		}
	}
}

// assumes tells whether plan rests on what it can't know, so that apply sends what is unchanged.
func (m *moment) assumes() bool {
	return slices.ContainsFunc(entriesOf(m.live), func(e entry) bool { return e.version != m.ours["apiVersion"] })
}

func appliesOnce(g *group) {
	for _, a := range g.applies() {
		switch {
		case a.outcome == "failed":
		case a.again != "unchanged" && !a.assumes() || versionOf(a.after) != versionOf(a.second):
			g.fault(a.moment, "a second apply says %s, after %s\nafter: %s\nsecond: %s", a.again, a.outcome, text(a.after), text(a.second))
		default:
			g.held++
		}
	}
}

func keepsValues(g *group) {
	for _, a := range g.applies() {
		for _, at := range a.allRuled() {
			before := valueAt(a.before, at)
			switch {
			case a.before == nil || before == nil:
			case !reflect.DeepEqual(before, valueAt(a.after, at)):
				g.fault(a.moment, "apply sets %s from %s to %s\nafter: %s", at, text(before), text(valueAt(a.after, at)), text(a.after))
			default:
				g.held++
			}
		}
	}
}

// mostRemoved is how many leftovers are removed by their commands in a run.
const mostRemoved = 10

func removesLeftover(g *group) {
	plan, _, _ := g.plan(g.live(g.moments), packages(g.moments))
	for _, m := range g.moments {
		for _, l := range plan[m.name].Leftover[:min(len(plan[m.name].Leftover), 1)] { // a command is for the object as it is
			if g.held+len(g.faults) >= mostRemoved || m.isApplied {
				return
			}
			c := asAdmin
			got := c.run(g.t, "bash", "-c", strings.ReplaceAll(l.Command, m.name, m.history.name))
			after := m.api.do(http.MethodGet, m.path(), "", nil).object
			if got.code != 0 || valueAt(after, l.Path) != nil && !isDefault(after, l.Path) {
				g.fault(m, "%s must remove %s: %s%s", l.Command, l.Path, got.out, got.err)
				continue
			}
			g.held++
		}
	}
}
