package cluster

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var pullRequests = flag.Int("pullrequests", 8, "how many pull requests TestPullRequests makes")

// histories are what the clusters of a pull request have been through, by their names: each gets
// the package before it.
var histories = map[string]func(o *onCluster, base object){
	"fresh":   func(*onCluster, object) {},
	"applied": func(o *onCluster, base object) { o.apply("kubectl", base) },
	"drifted": func(o *onCluster, base object) {
		o.apply("kubectl", base)
		o.update("controller", o.tr.newConfig())
	},
	"shared": func(o *onCluster, base object) {
		o.apply("kubectl", base)
		o.apply("argocd-controller", base)
	},
	"behind": func(o *onCluster, base object) {
		o.apply("kubectl", o.tr.newConfig())
		o.update("kubectl-edit", o.tr.newConfig())
		if o.tr.kind.scale {
			o.tr.api.patch(o.path()+"/scale", "hpa", mergePatch, object{"spec": object{"replicas": 1 + o.tr.r.IntN(4)}}, false)
		}
	},
}

// onCluster is an object on a cluster, which is a namespace here.
type onCluster struct {
	tr        *triple
	namespace string
}

func (o *onCluster) path() string {
	return strings.Replace(o.tr.path(), "/namespaces/default/", "/namespaces/"+o.namespace+"/", 1)
}

func (o *onCluster) apply(manager string, config object) {
	o.tr.api.patch(o.path(), manager, applyPatch, config, true)
}

func (o *onCluster) update(manager string, config object) {
	o.tr.api.patch(o.path(), manager, mergePatch, config, false)
}

// dryRun is what the API server makes of an apply, in the words of a plan.
type dryRun struct {
	outcome string
	live    object // nil for none
	// stored is what it would store, and the live object where it would store nothing.
	stored object
}

// try asks the API server for an apply that stores nothing, of no package, too.
func (o *onCluster) try(config object) dryRun {
	live := o.tr.api.do(http.MethodGet, o.path(), "", nil)
	if live.code != http.StatusOK {
		live.object = nil
	}
	if config == nil {
		return dryRun{"", live.object, live.object}
	}
	got := o.tr.api.patch(o.path(), "kubectl&dryRun=All", applyPatch, config, false)
	switch got.code {
	case http.StatusCreated:
		return dryRun{"create", live.object, got.object}
	case http.StatusConflict:
		return dryRun{"conflict", live.object, live.object}
	case http.StatusOK:
		if text(stable(got.object)) == text(stable(live.object)) {
			return dryRun{"unchanged", live.object, got.object}
		}
		return dryRun{"change", live.object, got.object}
	}
	return dryRun{"refused", live.object, live.object}
}

func (d dryRun) writes() bool { return d.outcome != "conflict" && d.outcome != "refused" }

// changedObject is an object of what "plan --base -o json" shows.
type changedObject struct {
	Clusters                           []string
	Kind, Name, Outcome, OutcomeBefore string
	Fields                             []changedField
}

type changedField struct {
	Path     string
	Old, New any
	Base     *struct{ New any }
}

// sections are the ones of the fields whose values differ after the two applies, of which one that
// does not go through leaves the live ones.
func (o changedObject) sections() (all []string) {
	goesThrough := func(outcome string) bool { return outcome != "conflict" && outcome != "refused" }
	for _, f := range o.Fields {
		before, after := f.Old, f.Old
		if f.Base != nil && goesThrough(o.OutcomeBefore) { // without it, the plan without the change does not touch it
			before = f.Base.New
		}
		if goesThrough(o.Outcome) {
			after = f.New
		}
		if text(before) != text(after) {
			all = append(all, sectionOf(f.Path))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestPullRequests makes pull requests of random packages for five clusters with histories of their
// own. Of each object and cluster, plan --base shows something exactly where a dry run of the
// package before it and one of that after it differ, with the outcomes of both, and the sections
// whose values differ.
func TestPullRequests(t *testing.T) {
	api, clusters := newClusters(t)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(kinds)), func(name string) bool {
		return !strings.Contains(kinds[name].path, "/namespaces/")
	})
	counts := map[string]int{}
	for i := range *pullRequests {
		r := rand.New(rand.NewPCG(*seed+uint64(i), 2))
		var all []*proposed
		for j := range 8 {
			name := pick(r, names)
			all = append(all, newProposed(&triple{api: api, r: r, name: fmt.Sprintf("pr%d-%d", i, j), kindName: name, kind: kinds[name]}, clusters))
		}
		play(t, all, clusters, counts)
	}
	logCounts(t, counts)
}

// TestPublicPullRequests does the same with pull requests of public repositories, whose objects are
// made small and have other names.
func TestPublicPullRequests(t *testing.T) {
	api, clusters := newClusters(t)
	content, err := os.ReadFile("testdata/pullrequests.json")
	if err != nil {
		t.Fatal(err)
	}
	var pulls []struct {
		Link       string
		Base, Head []object
	}
	decode(t, string(content), &pulls)
	counts := map[string]int{}
	for i, pull := range pulls {
		before := counts["nothing differs"]
		r := rand.New(rand.NewPCG(*seed+uint64(i), 3))
		var all []*proposed
		for _, o := range pull.Head {
			all = append(all, &proposed{head: o})
		}
		for _, o := range pull.Base {
			path := pathOf(o)
			if j := slices.IndexFunc(all, func(p *proposed) bool { return p.head != nil && pathOf(p.head) == path }); j >= 0 {
				all[j].base = o
			} else {
				all = append(all, &proposed{base: o})
			}
		}
		for _, p := range all {
			p.of(api, r, clusters)
		}
		play(t, all, clusters, counts)
		t.Logf("%s: %d objects, %d of them without a change on a cluster", pull.Link, len(all)*len(clusters), counts["nothing differs"]-before)
	}
	logCounts(t, counts)
}

// of puts an object on the clusters, where others annotate it and set its replicas.
func (p *proposed) of(api *api, r *rand.Rand, clusters []string) {
	was := p.base
	if was == nil {
		was = p.head
	}
	p.kind, p.name, p.on = was["kind"].(string), meta(was)["name"].(string), map[string]*onCluster{}
	changes := object{"metadata": object{"annotations": object{"note": opt("a", "b")}}}
	if kinds[p.kind].scale {
		changes["spec"] = object{"replicas": opt(2, 3)}
	}
	path := pathOf(overlay(was, object{"metadata": object{"namespace": "default"}}))
	tr := &triple{api: api, r: r, name: p.name, kindName: p.kind, kind: kind{path: path[:strings.LastIndexByte(path, '/')], object: overlay(was, changes)}}
	for _, name := range clusters {
		p.on[name] = &onCluster{tr, "pr-" + name}
		histories[name](p.on[name], was)
	}
}

// newClusters makes a cluster for each history.
func newClusters(t *testing.T) (*api, []string) {
	t.Helper()
	api := newAPI(t)
	createCRDs(t, api)
	clusters := slices.Sorted(maps.Keys(histories))
	for _, name := range clusters {
		namespace(t, "pr-"+name)
	}
	return api, clusters
}

// play holds what is shown of a pull request against the API server, and removes its objects.
func play(t *testing.T, all []*proposed, clusters []string, counts map[string]int) {
	t.Helper()
	shown := reviewed(t, all, clusters)
	for _, p := range all {
		for _, name := range clusters {
			p.check(t, name, shown, counts)
			o := p.on[name]
			o.tr.api.patch(o.path(), "test", mergePatch, object{"metadata": object{"finalizers": nil}}, false)
			o.tr.api.do(http.MethodDelete, o.path(), "", nil)
		}
	}
}

func logCounts(t *testing.T, counts map[string]int) {
	t.Helper()
	for _, outcome := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[outcome], outcome)
	}
}

// proposed is an object before and after a pull request, nil where the package lacks it, and on the
// clusters.
type proposed struct {
	kind, name string
	base, head object
	on         map[string]*onCluster
}

func newProposed(tr *triple, clusters []string) *proposed {
	base := tr.newConfig()
	p := &proposed{kind: tr.kindName, name: tr.name, base: base, head: base, on: map[string]*onCluster{}}
	for _, name := range clusters {
		p.on[name] = &onCluster{tr, "pr-" + name}
		histories[name](p.on[name], base)
	}
	switch tr.r.IntN(6) {
	case 0:
		p.base = nil
	case 1:
		p.head = nil
	case 2:
		p.head = overlay(base, object{"metadata": object{"annotations": object{"note": "new"}}})
	case 3, 4:
		p.head = tr.newConfig()
	}
	return p
}

// reviewed is what plan --base shows of a pull request.
func reviewed(t *testing.T, all []*proposed, clusters []string) []changedObject {
	t.Helper()
	var base, head []object
	args := []string{"plan", "--crds", crds, "-o", "json"}
	inDefault := func(o object) object { return overlay(o, object{"metadata": object{"namespace": "default"}}) }
	for _, p := range all {
		if p.base != nil {
			base = append(base, inDefault(p.base))
		}
		if p.head != nil {
			head = append(head, inDefault(p.head))
		}
	}
	for _, name := range clusters {
		live := []object{{"apiVersion": "v1", "kind": "Secret", "metadata": object{"name": "other", "namespace": "default"}}}
		for _, p := range all {
			if got := p.on[name].tr.api.do(http.MethodGet, p.on[name].path(), "", nil); got.code == http.StatusOK {
				live = append(live, inDefault(got.object))
			}
		}
		args = append(args, "--live", name+"="+jsonFile(t, live))
	}
	args = append(args, "--base", filepath.Dir(jsonFile(t, base)), filepath.Dir(jsonFile(t, head)))
	got := command{user: admin, folder: "."}.run(t, append([]string{"krm-fields"}, args...)...)
	if got.code > 1 {
		t.Fatalf("plan --base must compare, has exit code %d\n%s", got.code, got.err)
	}
	var shown struct{ Objects []changedObject }
	decode(t, got.out, &shown)
	return shown.Objects
}

// check compares what is shown of the object on a cluster with the API server.
func (p *proposed) check(t *testing.T, cluster string, shown []changedObject, counts map[string]int) {
	t.Helper()
	before, after := p.on[cluster].try(p.base), p.on[cluster].try(p.head)
	if before.live != nil && len(managedFields(before.live)) == 0 { // of which a plan knows no conflict
		counts["no managedFields"]++
		return
	}
	i := slices.IndexFunc(shown, func(o changedObject) bool {
		return o.Name == p.name && o.Kind == p.kind && slices.Contains(o.Clusters, cluster)
	})
	isSame := before.outcome == after.outcome && text(stable(before.stored)) == text(stable(after.stored))
	switch {
	case before.outcome == "refused" || after.outcome == "refused":
		counts["refused, which may be validation"]++
		return
	case text(p.base) == text(p.head), isSame && before.writes():
		counts["nothing differs"]++
		if i >= 0 {
			t.Errorf("%s %s on %s: nothing differs, and it is shown: %s", p.kind, p.name, cluster, text(shown[i]))
		}
		return
	case isSame:
		counts["conflict before and after"]++
		return
	case i < 0:
		t.Errorf("%s %s on %s: %s -> %s must be shown", p.kind, p.name, cluster, before.outcome, after.outcome)
		return
	}
	got, want := shown[i], after.outcome
	if p.head == nil {
		want = "gone"
	}
	counts[before.outcome+" -> "+want]++
	isBefore := got.OutcomeBefore == before.outcome || got.OutcomeBefore == "change" && before.outcome == "unchanged" // on another cluster
	if got.Outcome != want || !isBefore {
		t.Errorf("%s %s on %s: must be %s -> %s, is %s -> %s", p.kind, p.name, cluster, before.outcome, want, got.OutcomeBefore, got.Outcome)
	}
	if p.base == nil || p.head == nil || p.kind == "Secret" {
		return // all of an object that is new is the change, and a Secret shows no values
	}
	if differ := changed(before.stored, after.stored); !slices.Equal(differ, got.sections()) {
		t.Errorf("%s %s on %s: %q differ, and it shows %q", p.kind, p.name, cluster, differ, got.sections())
	}
}
