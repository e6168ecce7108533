package cluster

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// sentences are those of "what krm-fields says of a cluster", one by one.
var sentences = []sentence{
	{"a package of which nothing is there is planned as create, under every configuration", "before", createsAll},
	{"plan has the outcome and the conflicts of the API server", "at the end", plansOutcome},
	{"plan says unchanged exactly where the apply writes nothing", "at the end", plansUnchanged},
	{"diff shows an object exactly where an apply by force changes a value of it", "at the end", diffsForced},
	{"after an apply, plan and diff are silent", "at the end", isSilentAfter},
	{"no conflict is left with the rules of suggest, but with hand edits", "each step", resolvesConflicts},
	{"what suggest says needs no rule has no conflict", "at the end", needsNoRule},
	{"no rule of suggest fails its proof", "at the end", provesRules},
	{"suggest --check finds no field of a manager with the rules of suggest", "at the end", checksNothing},
	{"a field that suggest --check gives to a manager is a conflict", "at the end", checksConflicts},
	{"a conflict, but with hand edits, is found by suggest --check", "at the end", findsConflicts},
	{"the contested fields of audit are those that an applier and others own", "at the end", auditsContested},
	{"the contested fields of audit that the package changes are conflicts, and the other way round", "at the end", contestsAreConflicts},
	{"the claimed fields of audit are those of autoscalers that one applier owns alone", "at the end", auditsClaimed},
	{"what a former applier alone owns and the package lacks is leftover in plan", "at the end", plansLeftover},
	{"the leftover of audit is that of plan", "at the end", auditsLeftover},
	{"the command of a leftover removes it", "last step", removesLeftover},
	{"the owners of locate are those of the managedFields", "at the end", locatesOwners},
	{"the owners of plan are those of locate", "at the end", plansOwners},
	{"without managedFields, plan says what values change, and of nobody", "at the end", plansValues},
	{"without managedFields, suggest has no rule for what only differs", "at the end", suggestsNothing},
	{"run --clean makes a manifest with which plan and diff change no value", "at the end", cleans},
	{"plan finds the fields of a rule wherever one side has them", "at the end", plansRules},
	{"diff shows no field of a rule", "at the end", diffsNoRule},
	{"the API server does to what run --live writes what plan says with the rules", "each step", plansRun},
	{"krm-fields apply writes what plan said, and nothing else", "each step", appliesPlan},
	{"a second krm-fields apply writes nothing", "each step", appliesOnce},
	{"krm-fields apply leaves the live value of a field of a rule", "each step", keepsValues},
}

// isUnknown tells whether a plan does not know what an entry of another version has: conversion is
// not modelled.
func (m *moment) isUnknown(plan planOfObject) bool {
	return plan.Outcome == "unknown" && m.kind == anyAutoscaler && m.assumes()
}

// createsAll holds before the objects are there.
func createsAll(g *group) {
	all := []any{}
	for _, s := range subjects {
		for _, path := range s.rules {
			all = append(all, object{"jsonPaths": []any{expressionFor(path)}})
		}
	}
	byManagers := []any{object{"managedFieldsManagers": []any{"*"}}}
	config := func(rules []any, more object) []string {
		whole := overlay(object{"apiVersion": "fn.kpt.dev/v1alpha1", "kind": "IgnoreFields", "metadata": object{"name": "all"},
			"onNoMatch": "Ignore", "ignoreFields": rules}, more)
		return []string{"--config", file(g.t, "rules.yaml", text(whole))}
	}
	for _, flags := range [][]string{
		nil, config(all, object{"onHandover": "Keep"}), config(all, object{"action": "TakeLive"}), config(byManagers, nil),
		config(byManagers, object{"onHandover": "Keep"}), config(byManagers, object{"action": "TakeLive"}),
	} {
		plan, _, _ := g.plan(nil, packages(g.moments), flags...)
		for _, m := range g.moments {
			if g.held++; plan[m.name].Outcome != "create" {
				g.held--
				g.fault(m, "plan says %s %s with %q", plan[m.name].Outcome, plan[m.name].Cause, flags)
			}
		}
	}
}

func plansOutcome(g *group) {
	plan := g.planOf()
	for _, m := range g.moments {
		p := plan[m.name]
		isSame := len(p.Conflicts)+len(m.conflicts) == 0 || reflect.DeepEqual(sorted(p.Conflicts), m.conflicts)
		switch {
		case p.Outcome == m.outcome && isSame:
			g.held++
		case m.isUnknown(p):
		default:
			g.fault(m, "the API server says %s %v %s, plan %s %v %s", m.outcome, m.conflicts, m.plain, p.Outcome, p.Conflicts, p.Cause)
		}
	}
}

func plansUnchanged(g *group) {
	plan := g.planOf()
	for _, m := range g.moments {
		switch isUnchanged := plan[m.name].Outcome == "unchanged"; {
		case isUnchanged != (m.outcome == "unchanged") && !m.isUnknown(plan[m.name]):
			g.fault(m, "the API server says %s, plan %s", m.outcome, plan[m.name].Outcome)
		case isUnchanged:
			g.held++
		}
	}
}

func diffsForced(g *group) {
	plan, diff := g.planOf(), g.diff(g.live(g.moments), packages(g.moments))
	for _, m := range g.moments {
		_, isShown := diff[m.name]
		isChanged := m.live == nil || len(changed(m.live, m.renamed(m.forced.object, m.name))) > 0
		switch {
		case m.isRefused():
		case isShown == isChanged:
			g.held++
		case !m.isUnknown(plan[m.name]):
			g.fault(m, "an apply by force changes a value: %t, diff shows one: %t", isChanged, isShown)
		}
	}
}

func isSilentAfter(g *group) {
	contradicts := func(m *moment) bool { return m.isRefused() || m.contradictsItself() }
	moments := slices.DeleteFunc(slices.Clone(g.moments), contradicts)
	var live []object
	for _, m := range moments {
		live = append(live, m.renamed(m.forced.object, m.name))
	}
	plan, _, _ := g.plan(live, packages(moments))
	diff := g.diff(live, packages(moments))
	for _, m := range moments {
		_, isShown := diff[m.name]
		switch p := plan[m.name]; {
		case p.Outcome == "unchanged" && !isShown:
			g.held++
		case !m.isUnknown(p):
			g.fault(m, "after an apply by force, plan says %s %s %s, diff shows it: %t\nafter: %s", p.Outcome, p.Cause, text(p.Fields), isShown, m.forced.object)
		}
	}
}

// contradictsItself tells whether a Secret has two values for a key, of which data loses.
func (m *moment) contradictsItself() bool {
	for key := range inner(m.ours, "stringData") {
		if inner(m.ours, "data")[key] != nil {
			return true
		}
	}
	return false
}

// resolvesConflicts sends what the suggested rules leave of the packages.
func resolvesConflicts(g *group) {
	live := g.live(g.moments)
	s := g.suggest(live, packages(g.moments))
	if s.file == "" {
		return
	}
	plan, _, _ := g.plan(live, packages(g.moments), s.config()...)
	out := printedObjects(g.t, g.run("run", live, packages(g.moments), append(s.config(), "-o", "json")...).out)
	for _, m := range g.moments {
		if m.outcome != "conflict" {
			continue
		}
		outcome, conflicts := "unchanged", []conflict(nil)
		if out[m.name] != nil { // else it has the hash of the live object
			outcome, conflicts = m.outcomeOf(m.dryRun(out[m.name], m.manager, false))
		}
		left := func(c conflict) bool { return !isHandEdit(c.Manager) }
		switch p := plan[m.name]; {
		case m.isUnknown(p):
		case slices.ContainsFunc(conflicts, left):
			g.fault(m, "conflicts are left: %v", conflicts)
		case p.Outcome != outcome:
			g.fault(m, "with the suggested rules, the API server says %s %v, plan %s %v", outcome, conflicts, p.Outcome, p.Conflicts)
		default:
			g.held += len(m.conflicts) - len(conflicts)
		}
	}
}

// conflictsIn are the managers of the conflicts of moments by their paths.
func (m *moment) conflictsIn() map[string][]string {
	all := map[string][]string{}
	for _, c := range m.conflicts {
		path := strings.TrimPrefix(c.Field, ".")
		all[path] = append(all[path], c.Manager)
	}
	return all
}

func (g *group) momentNamed(name string) *moment {
	return once(g, "moments", func() map[string]*moment { return byName(g.moments, func(m *moment) string { return m.name }) })[name]
}

func needsNoRule(g *group) {
	for _, told := range g.suggestedOf().tells {
		field, message, _ := strings.Cut(told.Message, ": ")
		m := g.momentNamed(told.Object.Name)
		if m == nil || !strings.Contains(message, "no rule is needed") {
			continue
		}
		if path := pathIn(m.ours, field); m.conflictsIn()[path] != nil {
			g.fault(m, "%s, and the API server has a conflict with %q", told.Message, m.conflictsIn()[path])
			continue
		}
		g.held++
	}
}

func provesRules(g *group) {
	s := g.suggestedOf()
	for _, told := range s.tells {
		if strings.Contains(told.Message, "verification") {
			g.fault(g.momentNamed(told.Object.Name), "%s", told.Message)
		}
	}
	g.held += strings.Count(s.text, "\n  - ")
}

// checking is a field that suggest --check finds.
type checking struct {
	Name, Path string
	Owners     []struct{ Name string }
}

func (g *group) check(more ...string) []checking {
	got := g.run("suggest", g.live(g.moments), packages(g.moments), append(more, "--check", "-o", "json")...)
	var list struct{ Fields []checking }
	decode(g.t, got.out, &list)
	return list.Fields
}

func checksNothing(g *group) {
	for _, c := range g.check(g.suggestedOf().config()...) {
		g.fault(g.momentNamed(c.Name), "%s by %v", c.Path, c.Owners)
	}
	g.held += len(g.moments)
}

func (g *group) checks() []checking {
	return once(g, "check", func() []checking { return g.check() })
}

func checksConflicts(g *group) {
	plan := g.planOf()
	for _, c := range g.checks() {
		m := g.momentNamed(c.Name)
		path := pathIn(m.ours, c.Path)
		for _, owner := range c.Owners {
			manager, operation, isManager := strings.Cut(owner.Name, " (")
			if !isManager || strings.HasPrefix(path, "stringData.") || m.isUnknown(plan[m.name]) || m.outcome == "refused" {
				continue // the API server has no conflicts about stringData, which overwrites data
			}
			found := false
			for at, managers := range m.conflictsIn() {
				found = found || overlap(at, path) && slices.Contains(managers, manager)
			}
			if found || manager == m.manager {
				g.held++
				continue
			}
			g.fault(m, "%s by %s (%s, and the API server has the conflicts %v", path, manager, operation, m.conflicts)
		}
	}
}

func findsConflicts(g *group) {
	plan, found := g.planOf(), map[string][]checking{}
	for _, c := range g.checks() {
		found[c.Name] = append(found[c.Name], c)
	}
	for _, m := range g.moments {
		for path, managers := range m.conflictsIn() {
			isFound := func(c checking) bool { return overlap(pathIn(m.ours, c.Path), path) }
			switch {
			case slices.ContainsFunc(found[m.name], isFound):
				g.held++
			case slices.ContainsFunc(managers, func(name string) bool { return !isHandEdit(name) }) && !m.isUnknown(plan[m.name]):
				g.fault(m, "%s by %q, and suggest --check has %v", path, managers, found[m.name])
			}
		}
	}
}

// An audited is a finding of audit.
type audited struct {
	Problem, Field, Owner, Command string
	Object                         struct{ Kind, Name string }
	Managers                       []string
}

// audits are the findings by the names of the objects.
func (g *group) audits() map[string][]audited {
	return once(g, "audit", func() map[string][]audited {
		live := g.live(g.moments)
		for i, o := range live { // an object with a known uid counts once
			live[i] = copyOf(o)
			delete(inner(live[i], "metadata"), "uid")
		}
		got := g.run("audit", live, nil, "-o", "json")
		var all []audited
		decode(g.t, got.out, &all)
		by := map[string][]audited{}
		for _, a := range all {
			if m := g.momentNamed(a.Object.Name); m != nil && m.kind == a.Object.Kind {
				by[a.Object.Name] = append(by[a.Object.Name], a)
			}
		}
		return by
	})
}

// foundBy are the managers that audit has of the fields with problems.
func foundBy(all []audited, problems ...string) map[string][]string {
	fields := map[string][]string{}
	for _, a := range all {
		if slices.Contains(problems, a.Problem) {
			fields[strings.TrimPrefix(a.Field, ".")] = a.Managers
		}
	}
	return fields
}

// toolsOfHistories are the managers that apply whole packages, as krm-fields knows them.
var toolsOfHistories = []string{"kubectl", "kluctl", "flux", "helm"}

// isTool tells whether the entry is that of a tool that applies packages.
func (e entry) isTool() bool {
	return e.subresource == "" && slices.Contains(toolsOfHistories, e.manager) && (e.isApply() || e.manager == "helm")
}

// takesOver tells whether the tool of an entry makes another its own before it applies.
func (e entry) takesOver(other entry) bool {
	return e.manager == "flux" && strings.HasPrefix(other.manager, "kubectl")
}

// contested are the fields that an applier and another manager own.
func (m *moment) contested() map[string][]string {
	all := map[string][]string{}
	entries := entriesOf(m.live)
	for _, applier := range entries {
		if !applier.isApply() && !applier.isTool() {
			continue
		}
		for _, path := range applier.leaves() {
			value, _ := valueAt(m.live, path).(object)
			isEmpty := value != nil && len(value) == 0
			if !isField(path) || isEmpty || strings.HasPrefix(path, "status.") {
				continue
			}
			var owners []entry
			isContested := false
			for _, e := range entries {
				if isWhole, ok := e.has[path]; ok && isWhole {
					owners = append(owners, e)
					isContested = isContested || e.manager != applier.manager && !applier.takesOver(e)
				}
			}
			if isContested {
				all[path] = managersOf(owners)
			}
		}
	}
	return all
}

// isField tells whether an apply can change what is at a path: no element of a list, and nothing
// that names one.
func isField(path string) bool {
	steps := segments.FindAllString(path, -1)
	last := steps[len(steps)-1]
	if strings.HasPrefix(last, "[") {
		return false
	}
	before := steps[max(len(steps)-2, 0)]
	return !strings.HasPrefix(before, "[") || !strings.Contains(strings.NewReplacer("[", ",", "]", "").Replace(before), ","+last+"=")
}

func auditsContested(g *group) {
	audits := g.audits()
	for _, m := range g.moments {
		got, want := foundBy(audits[m.name], "contested", "sharedWhole"), m.contested()
		if !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
			g.fault(m, "audit has %v, and the managedFields have %v", got, want)
			continue
		}
		g.held += len(want)
	}
}

func contestsAreConflicts(g *group) {
	audits := g.audits()
	for _, m := range g.moments {
		contested := foundBy(audits[m.name], "contested", "sharedWhole")
		conflicts := m.conflictsIn()
		for path, managers := range contested {
			new := valueAt(m.ours, path)
			isChanged := new != nil && !reflect.DeepEqual(copyOf(object{"": new}), object{"": valueAt(m.live, path)})
			if !slices.Contains(managers, m.manager) || !isChanged || m.outcome != "conflict" && m.outcome != "change" {
				continue
			}
			if g.held++; conflicts[path] == nil {
				g.held--
				g.fault(m, "audit has %s by %q, and the API server no conflict about it", path, managers)
			}
		}
		for path, managers := range conflicts {
			isOurs := slices.ContainsFunc(ownersOf(entriesOf(m.live), path), func(e entry) bool { return e.manager == m.manager })
			for _, manager := range managers {
				if isOurs && !slices.Contains(contested[path], manager) {
					g.fault(m, "the API server has a conflict about %s with %s, and audit has %q", path, manager, contested[path])
				}
			}
		}
	}
}

func auditsClaimed(g *group) {
	audits := g.audits()
	for _, m := range g.moments {
		if m.kind != anyDeployment || m.live == nil {
			continue
		}
		owners := ownersOf(entriesOf(m.live), "spec.replicas")
		want := len(m.others) > 0 && len(owners) == 1 && owners[0].isApply()
		got := foundBy(audits[m.name], "claimed")["spec.replicas"]
		switch {
		case want != (got != nil):
			g.fault(m, "audit has replicas claimed from %q, and the owners are %v", got, managersOf(owners))
		case want:
			g.held++
		}
	}
}

// leftover are the fields that only former appliers own on an object after an apply, by what of
// them has no other owner. The API server keeps the texts of a Secret in its data.
func (m *moment) leftover(after object) map[string]entry {
	var former, others []entry
	for _, e := range entriesOf(after) {
		for path, isWhole := range maps.Clone(e.has) {
			if stored, isText := m.stored(path); isText {
				e.has[stored] = isWhole
			}
		}
		if e.isTool() && e.manager != m.manager {
			former = append(former, e)
		} else {
			others = append(others, e)
		}
	}
	all := map[string]entry{}
	for _, e := range former {
		for _, path := range e.leaves() {
			value, isMap := valueAt(after, path).(object)
			isOthers := isMap && len(value) > 0
			isOwned := slices.ContainsFunc(ownersOf(others, path), func(e entry) bool {
				_, hasItself := e.has[path]
				return hasItself || !strings.HasPrefix(path, "metadata.") // who has the labels alone has made the map
			})
			if !isOwned && !isOthers && (valueAt(after, path) != nil || !isField(path)) {
				all[path] = e
			}
		}
	}
	return all
}

// defaults are the values of the histories that the API server would set itself.
var defaults = map[string]string{"replicas": "1", "protocol": `"TCP"`, "minReplicas": "1", "imagePullPolicy": `"IfNotPresent"`, "resources": "{}",
	"terminationMessagePath": `"/dev/termination-log"`, "terminationMessagePolicy": `"File"`}

func isDefault(o object, path string) bool {
	steps := segments.FindAllString(path, -1)
	return defaults[steps[len(steps)-1]] == text(valueAt(o, path))
}

func plansLeftover(g *group) {
	plan := g.planOf()
	for _, m := range g.moments {
		if m.outcome != "change" && m.outcome != "unchanged" {
			continue
		}
		after := m.renamed(m.plain.object, m.name)
		want := m.leftover(after)
		var missing, extra []string
		for path := range want {
			found := slices.ContainsFunc(plan[m.name].Leftover, func(l struct{ Path, Manager, Command string }) bool { return isIn(path, l.Path) })
			if !found && isField(path) && !isDefault(after, path) {
				missing = append(missing, path)
			}
		}
		for _, l := range plan[m.name].Leftover {
			found := false
			for path := range want {
				found = found || isIn(path, l.Path)
			}
			if g.held++; !found {
				g.held--
				extra = append(extra, l.Path)
			}
		}
		if len(missing)+len(extra) > 0 {
			g.fault(m, "plan must have the leftovers %q, and not %q", missing, extra)
		}
	}
}

func auditsLeftover(g *group) {
	plan, audits := g.planOf(), g.audits()
	for _, m := range g.moments {
		newest, isDated := "", true // an apply that changes nothing has no time
		var ours entry
		for _, e := range entriesOf(m.live) {
			if e.isTool() && e.manager != m.manager {
				newest, isDated = max(newest, e.time), isDated && e.time != ""
			} else if e.isTool() {
				ours = e
			}
		}
		if m.outcome != "unchanged" || ours.time <= newest || !isDated {
			continue // audit takes another one for the tool that applies
		}
		got := foundBy(audits[m.name], "leftover")
		want := map[string][]string{}
		for _, l := range plan[m.name].Leftover {
			want[l.Path] = []string{l.Manager}
		}
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			g.fault(m, "audit has the leftovers %v, plan %v", got, want)
			continue
		}
		if newest != "" { // of a former applier
			g.held++
		}
	}
}

// A located is a line of locate.
type located struct {
	Object struct{ Name string }
	Path   string
	Owners []struct{ Manager, Operation, Subresource string }
}

func (g *group) locates() map[string]map[string][]entry {
	return once(g, "locate", func() map[string]map[string][]entry {
		got := g.run("locate", g.live(g.moments), packages(g.moments), "-o", "json")
		var all []located
		decode(g.t, got.out, &all)
		by := map[string]map[string][]entry{}
		for _, l := range all {
			m := g.momentNamed(l.Object.Name)
			if by[m.name] == nil {
				by[m.name] = map[string][]entry{}
			}
			var owners []entry
			for _, o := range l.Owners {
				owners = append(owners, entry{manager: o.Manager, operation: o.Operation, subresource: o.Subresource})
			}
			by[m.name][pathIn(m.ours, l.Path)] = owners
		}
		return by
	})
}

func heads(all []entry) (texts []string) {
	for _, e := range all {
		texts = append(texts, fmt.Sprint(e.manager, e.operation, e.subresource))
	}
	slices.Sort(texts)
	return texts
}

func locatesOwners(g *group) {
	locates := g.locates()
	for _, m := range g.moments {
		for path, owners := range locates[m.name] {
			isName := path == "apiVersion" || path == "kind" || strings.HasPrefix(path, "metadata.name") || strings.HasPrefix(path, "stringData.")
			want := heads(ownersOf(entriesOf(m.live), path))
			switch {
			case isName || path == "":
			case !slices.Equal(heads(owners), want):
				g.fault(m, "locate says that %s is owned by %q, and the managedFields %q", path, heads(owners), want)
			case len(want) > 0:
				g.held++
			}
		}
	}
}

func plansOwners(g *group) {
	plan, locates := g.planOf(), g.locates()
	for _, m := range g.moments {
		for _, f := range plan[m.name].Fields {
			owners, isThere := locates[m.name][f.Path]
			if !isThere || m.live == nil {
				continue
			}
			before := slices.Clone(f.OwnersBefore)
			slices.Sort(before)
			if names := managersOf(owners); !slices.Equal(before, names) {
				g.fault(m, "plan says that %s is owned by %q, locate by %q", f.Path, before, names)
				continue
			}
			g.held++
		}
	}
}

// withoutManagers is an object as kubectl get shows it by default.
func withoutManagers(o object) object {
	o = copyOf(o)
	delete(inner(o, "metadata"), "managedFields")
	return o
}

func plansValues(g *group) {
	var live []object
	for _, o := range g.live(g.moments) {
		live = append(live, withoutManagers(o))
	}
	plan, _, got := g.plan(live, packages(g.moments))
	first, _, _ := strings.Cut(got.err, "\n")
	if !strings.Contains(first, "--show-managed-fields") {
		g.faults = append(g.faults, "the first warning must say how to see the owners, found "+first)
	}
	for _, m := range g.moments {
		if m.live == nil || m.fresh.object["kind"] == "Status" {
			continue
		}
		p := plan[m.name]
		isChanged := len(changed(m.live, m.renamed(m.fresh.object, m.name))) > 0
		owners := []string{}
		for _, f := range p.Fields {
			owners = slices.Concat(owners, f.OwnersBefore, f.OwnersAfter)
		}
		switch {
		case len(p.Conflicts) > 0 || len(owners) > 0:
			g.fault(m, "without managedFields, plan has the conflicts %v and the owners %q", p.Conflicts, owners)
		case isChanged != (p.Outcome == "change"):
			g.fault(m, "without managedFields, plan says %s %s, and somebody new changes a value: %t", p.Outcome, p.Cause, isChanged)
		default:
			g.held++
		}
	}
}

func suggestsNothing(g *group) {
	var live []object
	for _, o := range g.live(g.moments) {
		live = append(live, withoutManagers(o))
	}
	s := g.suggest(live, packages(g.moments))
	for line := range strings.Lines(s.text) {
		expression, isRule := strings.CutPrefix(strings.TrimSpace(line), "- /")
		if isRule && expression != "spec/replicas" { // which an autoscaler owns
			g.faults = append(g.faults, "without managedFields, suggest has a rule for "+expression)
		}
	}
	g.held += len(g.moments)
}

func cleans(g *group) {
	live := g.live(g.moments)
	got := g.run("run", live, live, "--clean", "-o", "json")
	if got.code != 0 {
		g.t.Fatalf("run --clean must succeed\n%s", got.err)
	}
	cleaned := printedObjects(g.t, got.out)
	moments := slices.DeleteFunc(slices.Clone(g.moments), func(m *moment) bool { return m.live == nil || cleaned[m.name]["kind"] != m.kind })
	var manifests []object
	for _, m := range moments {
		manifests = append(manifests, cleaned[m.name])
	}
	plan, _, _ := g.plan(live, manifests)
	diff := g.diff(live, manifests)
	for _, m := range moments {
		_, isShown := diff[m.name]
		p := plan[m.name]
		values := false
		for _, f := range p.Fields {
			values = values || f.Old != nil && f.New != nil && string(*f.Old) != string(*f.New)
		}
		switch {
		case m.isUnknown(p):
		case p.Outcome != "change" && p.Outcome != "unchanged" || values || isShown:
			g.fault(m, "of the cleaned live object, plan says %s %s, and diff shows it: %t\nmanifest: %s", p.Outcome, p.Cause, isShown, text(cleaned[m.name]))
		default:
			g.held++
		}
	}
}

// hasField tells whether a pair has the field of a rule on one of its sides.
func (m *moment) hasField(path string) bool {
	return valueAt(m.ours, path) != nil || m.live != nil && valueAt(m.live, path) != nil
}

func plansRules(g *group) {
	for _, action := range actions {
		config := g.configs(g.moments, action)
		if config == nil {
			continue
		}
		plan, rules, _ := g.plan(g.live(g.moments), packages(g.moments), config...)
		sum, least, most := 0, 0, 0
		for _, r := range rules {
			if r.Verdict != "matchedNothing" {
				sum += r.Objects
			}
		}
		for _, m := range g.moments {
			outcome := plan[m.name].Outcome
			for rule, how := range m.rules {
				hasField := func(path string) bool { return m.hasField(path) }
				if how != action || !slices.ContainsFunc(m.ruled(rule), hasField) && !m.hasField(rule) {
					continue
				}
				if most++; outcome != "unknown" && outcome != "refused" && m.hasField(rule) {
					least++
				}
			}
		}
		if sum < least || sum > most {
			g.faults = append(g.faults, fmt.Sprintf("of the rules of %s, plan must find %d to %d fields, found %d", action, least, most, sum))
		}
		g.held += sum
	}
}

func diffsNoRule(g *group) {
	diff := g.diff(g.live(g.moments), packages(g.moments), g.configs(g.moments)...)
	for _, m := range g.moments {
		for _, f := range diff[m.name].Fields {
			path := pathIn(m.ours, f.Path)
			for _, rule := range append(m.allRuled(), slices.Collect(maps.Keys(m.rules))...) {
				if isIn(path, rule) {
					g.fault(m, "diff shows %s, which a rule leaves out", path)
				}
			}
		}
		g.held += len(m.rules)
	}
}
