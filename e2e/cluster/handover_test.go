package cluster

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var handovers = flag.Int("handovers", 6, "how many objects TestHandovers hands over for each pair of tools")

// TestHandovers hands random objects with histories over from each tool to each other one. No value
// changes by that, an undo gives the entries back, and the next apply of the new tool, by its own
// code, does what was said.
func TestHandovers(t *testing.T) {
	api := newAPI(t)
	createCRDs(t, api)
	for _, from := range tools {
		for _, to := range tools {
			if from == to || from.name == "ocm" || to.name == "ocm" { // the agent applies works, which a handover does not unpack
				continue
			}
			t.Run(from.name+"-to-"+to.name, func(t *testing.T) {
				t.Parallel()
				for _, tool := range []*tool{from, to} {
					if _, err := exec.LookPath("apply-argocd"); tool.name == "argocd" && err != nil {
						t.Skip("apply-argocd is not on the PATH; make test-tools builds it")
					}
				}
				h := handoverOf{t: t, api: api, from: from, to: to}
				h.prepare()
				h.undo()
				h.apply()
			})
		}
	}
}

// handoverOf is the handover of objects from a tool to another, with the packages of the new one.
type handoverOf struct {
	t        *testing.T
	api      *api
	from, to *tool
	all      []*triple
	packages []object
}

// handedOver is what krm-fields handover says.
type handedOver struct {
	Objects []struct {
		Kind, Name, Outcome, Cause string
		Next                       struct {
			Outcome, Cause string
			Fields         []struct{ Path string }
		}
	}
}

// prepare makes the objects, each with a history that ends with an apply of the old tool.
func (h *handoverOf) prepare() {
	for i := range *handovers {
		seed := *seed + uint64(i)
		tr := &triple{api: h.api, tool: h.from, seed: seed, r: rand.New(rand.NewPCG(seed, 2)), name: fmt.Sprintf("h%s-%s-%d", h.from, h.to, seed)}
		h.t.Cleanup(tr.remove)
		tr.prepare()
		tr.config, tr.at = pick(tr.r, tr.configs), tr.path()
		tr.manager, tr.force, tr.live = cmp.Or(h.from.manager, "kubectl"), true, h.now(tr)
		h.all, h.packages = append(h.all, tr), append(h.packages, pick(tr.r, tr.configs))
	}
	h.from.start(h.t)(h.all)
}

func (h *handoverOf) now(tr *triple) object {
	answer := h.api.do(http.MethodGet, tr.path(), "", nil)
	if answer.code != http.StatusOK {
		return nil
	}
	return answer.object
}

// run hands the objects over, and returns them as they were.
func (h *handoverOf) run(save string, more ...string) (before []object, said handedOver) {
	for _, tr := range h.all {
		before = append(before, h.now(tr))
	}
	args := append([]string{"krm-fields", "handover", "--from", h.from.name, "--to", h.to.name, "--crds", crds, "--save", save, "-o", "json"}, more...)
	got := command{user: admin, folder: "."}.run(h.t, append(args, jsonFile(h.t, h.packages))...)
	if got.code > 1 || got.out == "" {
		h.t.Fatalf("handover must end with 0 or 1, ends with %d:\n%s", got.code, got.err)
	}
	decode(h.t, got.out, &said)
	for i, tr := range h.all {
		if fields := changed(before[i], h.now(tr)); len(fields) > 0 {
			h.t.Errorf("%s: a handover must change no value, has changed %q\nit was %s", tr.name, fields, text(before[i]))
		}
	}
	return before, said
}

// undo hands over and puts back.
func (h *handoverOf) undo() {
	save := filepath.Join(h.t.TempDir(), "before.json")
	before, said := h.run(save)
	counts := map[string]int{}
	for _, o := range said.Objects {
		counts[o.Outcome]++
		if o.Outcome == "failed" || o.Outcome == "notSent" {
			h.t.Errorf("%s %s must not be %s", o.Kind, o.Name, o.Outcome)
		}
	}
	h.t.Logf("%v", counts)
	if h.from.manager != h.to.manager && counts["patched"] < *handovers/3 {
		h.t.Errorf("a third must be handed over at least, are %d", counts["patched"])
	}
	asAdmin.inHere(h.t, 0, "handover", "--undo", save)
	for i, tr := range h.all {
		if got := managedFields(h.now(tr)); !reflect.DeepEqual(got, managedFields(before[i])) {
			h.t.Errorf("%s: an undo must give the entries back\ngot  %s\nwant %s", tr.name, text(got), text(managedFields(before[i])))
		}
	}
}

// apply hands over, and applies by the new tool.
func (h *handoverOf) apply() {
	_, said := h.run(filepath.Join(h.t.TempDir(), "before.json"), "--remove-stale")
	for i, tr := range h.all {
		tr.tool, tr.config, tr.live, tr.got = h.to, h.packages[i], h.now(tr), answer{}
		tr.manager, tr.force, tr.sent = cmp.Or(h.to.manager, "kubectl"), h.to.forces, tr.config
	}
	h.to.start(h.t)(h.all)
	outcomes := map[string]int{}
	for _, o := range said.Objects {
		i := slices.IndexFunc(h.all, func(tr *triple) bool { return tr.name == o.Name })
		if i < 0 || o.Outcome != "patched" {
			continue
		}
		tr, next := h.all[i], o.Next
		outcomes[next.Outcome]++
		isDone := tr.got.code == http.StatusOK
		if tr.got.code == http.StatusUnprocessableEntity && !isModelled(tr.got) {
			outcomes["validation"]++
			continue
		}
		if isSaid := next.Outcome == "change" || next.Outcome == "unchanged"; isSaid != isDone && next.Outcome != "unknown" {
			h.t.Errorf("%s must be %s %s, the API server says %s", tr.name, next.Outcome, next.Cause, tr.got)
		}
		var shown []string
		for _, f := range next.Fields {
			shown = append(shown, sectionOf(f.Path))
		}
		if h.to.adds != nil { // in its first apply, as it may remove the annotation of client-side apply
			shown = append(shown, "metadata.labels", "metadata.annotations")
		}
		for _, field := range changed(tr.live, h.now(tr)) {
			isIn := func(whole string) bool { return field == whole || strings.HasPrefix(field, whole+".") }
			if next.Outcome != "unknown" && !slices.ContainsFunc(shown, isIn) {
				h.t.Errorf("%s: the next apply has changed %s, of which handover says nothing: %s %q\nit was %s\npackage %s",
					tr.name, field, next.Outcome, shown, text(tr.live), text(tr.config))
			}
		}
	}
	h.t.Logf("next: %v", outcomes)
}
