package cluster

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

var played = flag.Int("histories", 300, "how many histories TestHistories plays")

// steps is how many stories a history has.
const steps = 5

// history is what happens to one object, and the package that we apply to it.
type history struct {
	api        *api
	r          *rand.Rand
	kind, name string
	// manager is who applies, and ours what.
	manager string
	ours    object
	// rules are the actions of rules by the paths that they are for, or the managers of which they
	// are for all fields.
	rules map[string]string
	// others are live objects beside it.
	others []object
	told   []string
	// isApplied asks for an apply by krm-fields.
	isApplied bool
}

// TestHistories plays what people do to objects. After every step, each sentence of what krm-fields
// says of a cluster is held against the API server, and the commands against each other. Worlds
// with a mistake must fall short of the sentences. One history: -histories 1 -seed N.
func TestHistories(t *testing.T) {
	api := newAPI(t)
	createCRDs(t, api)
	all := make([]*history, *played)
	for i := range all {
		seed := *seed + uint64(i)
		r := rand.New(rand.NewPCG(seed, 2))
		all[i] = &history{api: api, r: r, kind: pick(r, kindsOfHistories), name: fmt.Sprint("history", seed), manager: "kubectl", rules: map[string]string{}}
		all[i].ours = subjects[all[i].kind].first(all[i])
		if all[i].kind == anyDeployment && r.IntN(5) == 0 {
			all[i].others = []object{all[i].autoscaler("autoscaling/v2")}
		}
	}
	tally := newTally()
	tally.judge(t, beforeAll(all), "before")
	sideBySide(all, func(h *history) { h.apply(h.manager, h.ours, false) })
	defer sideBySide(all, (*history).remove)
	var moments []*moment
	for step := range steps {
		sideBySide(all, (*history).tell)
		now := make([]*moment, len(all))
		index := map[*history]int{}
		for i, h := range all {
			index[h] = i
		}
		sideBySide(all, func(h *history) { now[index[h]] = h.look() })
		tally.judge(t, now, "each step")
		if step == steps-1 {
			tally.judge(t, now, "last step")
		}
		moments = append(moments, now...)
	}
	tally.judge(t, moments, "at the end")
	tally.log(t)
	counts := map[string]int{}
	for _, m := range moments {
		counts[m.outcome]++
	}
	t.Logf("%d histories, %d steps: %v", len(all), len(moments), counts)
	tally.expectAll(t)
	breakWorlds(t, moments)
}

// sideBySide does something with each history, some at a time.
func sideBySide(all []*history, do func(*history)) {
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < len(all); i += workers {
				do(all[i])
			}
		})
	}
	group.Wait()
}

func (h *history) tell() {
	story := pick(h.r, storiesOf(h.kind))
	h.isApplied = false
	story.tell(h)
	h.told = append(h.told, story.name)
}

// A moment is the world after a step, and what the API server says of our apply.
type moment struct {
	*history
	// name is the object's name in files, of its own so that one command can take all moments.
	name string
	told []string
	// live is nil if there is no object; managers are its entries.
	live, ours object
	manager    string
	rules      map[string]string
	others     []object
	// outcome is that of an apply, with the conflicts.
	outcome   string
	conflicts []conflict
	// plain, forced and fresh are applies as a dry run, by force, and by force by somebody new.
	plain, forced, fresh answer
}

// beforeAll are the moments before anything is there.
func beforeAll(all []*history) (moments []*moment) {
	for _, h := range all {
		moments = append(moments, &moment{history: h, name: h.name, ours: h.ours, manager: h.manager, outcome: "create"})
	}
	return moments
}

func (h *history) look() *moment {
	m := &moment{history: h, name: fmt.Sprint(h.name, "-", len(h.told)), told: slices.Clone(h.told), manager: h.manager, rules: maps.Clone(h.rules)}
	m.ours = h.renamed(h.ours, m.name)
	for _, other := range h.others {
		m.others = append(m.others, h.renamed(other, m.name))
	}
	if live := h.api.do(http.MethodGet, h.path(), "", nil); live.code == http.StatusOK {
		m.live = live.object
	}
	m.plain, m.forced, m.fresh = m.dryRun(h.ours, m.manager, false), m.dryRun(h.ours, m.manager, true), m.dryRun(h.ours, "somebody", true)
	m.outcome, m.conflicts = m.outcomeOf(m.plain)
	m.live = h.renamed(m.live, m.name)
	return m
}

// dryRun applies without storing anything.
func (m *moment) dryRun(config object, manager string, force bool) answer {
	path := subjects[m.kind].paths[config["apiVersion"].(string)] + "/" + m.history.name
	return m.api.patch(path, manager+"&dryRun=All", applyPatch, m.renamed(config, m.history.name), force)
}

// outcomeOf is what plan must say of an apply with that answer.
func (m *moment) outcomeOf(got answer) (string, []conflict) {
	switch {
	case got.code == http.StatusConflict:
		return "conflict", conflictsOf(got.object)
	case got.code == http.StatusCreated:
		return "create", nil
	case got.code != http.StatusOK:
		return "refused", nil
	case text(stable(m.renamed(got.object, m.name))) == text(stable(m.renamed(m.live, m.name))):
		return "unchanged", nil
	}
	return "change", nil
}

// isRefused tells whether the API server refuses even an apply by force.
func (m *moment) isRefused() bool { return m.forced.object["kind"] == "Status" }

// isHandEdit tells whether a manager stands for a person.
func isHandEdit(manager string) bool { return strings.HasPrefix(manager, "kubectl-") }

// renamed is a copy under another name; nil for none.
func (h *history) renamed(o object, name string) (named object) {
	if o == nil {
		return nil
	}
	named = copyOf(o)
	inner(named, "metadata")["name"] = name
	if spec := inner(named, "spec"); spec["scaleTargetRef"] != nil {
		inner(spec, "scaleTargetRef")["name"] = name
	}
	return named
}

func copyOf(o object) (copied object) {
	if err := decodeNumbers(text(o), &copied); err != nil {
		panic(err)
	}
	return copied
}

// String tells of the moment.
func (m *moment) String() string {
	return fmt.Sprintf("%s %s after %q, applied by %s, rules %v\nlive: %s\npackage: %s", m.kind, m.name, m.told, m.manager, m.rules, text(m.live), text(m.ours))
}

// A sentence is one that the commands must hold.
type sentence struct {
	says string
	// when is it held: "before" the objects are there, after "each step", after the "last step",
	// or "at the end" over all moments.
	when  string
	check func(g *group)
}

// A verdict is how often a sentence held, and where it did not.
type verdict struct {
	held   int
	faults []string
}

// tally has the verdict of each sentence.
type tally map[string]*verdict

func newTally() tally {
	all := tally{}
	for _, s := range sentences {
		all[s.says] = &verdict{}
	}
	return all
}

// judge holds the sentences of a time against moments.
func (all tally) judge(t *testing.T, moments []*moment, when string) {
	var managers []string
	for _, m := range moments {
		if !slices.Contains(managers, m.manager) {
			managers = append(managers, m.manager)
		}
	}
	for _, manager := range managers {
		g := &group{t: t, manager: manager, seen: map[string]any{}}
		g.moments = slices.DeleteFunc(slices.Clone(moments), func(m *moment) bool { return m.manager != manager })
		for _, s := range sentences {
			if s.when == when {
				g.verdict = all[s.says]
				s.check(g)
			}
		}
	}
}

// maxTold is how many faults of one sentence are told.
const maxTold = 3

func (all tally) log(t *testing.T) {
	var table strings.Builder
	for _, s := range sentences {
		v := all[s.says]
		fmt.Fprintf(&table, "\n%7d held %5d not: %s", v.held, len(v.faults), s.says)
		for i, fault := range v.faults {
			if i < maxTold {
				t.Errorf("%s: %.3000s", s.says, fault)
			}
		}
	}
	t.Log(table.String())
}

// expectAll expects that the histories have tried each sentence.
func (all tally) expectAll(t *testing.T) {
	for _, s := range sentences {
		if *played >= 200 && all[s.says].held == 0 {
			t.Errorf("%s: must be tried in some history", s.says)
		}
	}
}
