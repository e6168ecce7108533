package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestRandomObjectsSettle applies random objects. With nothing to do after that, plan says
// "unchanged" of each, diff finds no difference, and another apply writes none. Then another
// manager changes them, and the packages, too: diff shows what an apply that forces conflicts
// changes, as the API server says in a dry run.
func TestRandomObjectsSettle(t *testing.T) {
	api := newAPI(t)
	createCRDs(t, api)
	r := rand.New(rand.NewPCG(*seed, 1))
	var all []*triple
	var packages, live []object
	for i := 0; len(all) < *triples; i++ {
		name := pick(r, slices.Sorted(maps.Keys(kinds)))
		tr := &triple{api: api, r: r, name: fmt.Sprintf("settle%d", i), kindName: name, kind: kinds[name]}
		config := tr.inNamespace()
		if got := api.patch(tr.path(), "kubectl", applyPatch, config, false); got.code == http.StatusCreated {
			t.Cleanup(tr.remove)
			all, packages, live = append(all, tr), append(packages, config), append(live, got.object)
		}
	}
	var plan struct {
		Objects []struct {
			Kind, Name, Outcome, Cause string
			Fields                     []any
		}
	}
	args := []string{"--crds", crds, "--live", jsonFile(t, live), "-o", "json", jsonFile(t, packages)}
	decode(t, asAdmin.inHere(t, 0, append([]string{"plan"}, args...)...), &plan)
	for _, o := range plan.Objects {
		if o.Outcome != "unchanged" {
			t.Errorf("%s %s must be unchanged: %s %s", o.Kind, o.Name, o.Cause, text(o.Fields))
		}
	}
	asAdmin.inHere(t, 0, append([]string{"diff"}, args...)...)
	for i, tr := range all {
		got := api.patch(tr.path(), "kubectl", applyPatch, packages[i], false)
		if was, is := inner(live[i], "metadata")["resourceVersion"], inner(got.object, "metadata")["resourceVersion"]; was != is {
			t.Errorf("%s %s: the resourceVersion must stay %v, is %v", tr.kindName, tr.name, was, is)
		}
	}

	packages, live = nil, nil
	want := map[string][]string{}
	for _, tr := range all {
		api.patch(tr.path(), "controller", mergePatch, tr.newConfig(), false)
		config := tr.inNamespace()
		got := api.patch(tr.path(), "kubectl&dryRun=All", applyPatch, config, true)
		if got.code == http.StatusOK {
			now := api.do(http.MethodGet, tr.path(), "", nil).object
			packages, live = append(packages, config), append(live, now)
			if fields := changed(now, got.object); len(fields) > 0 {
				want[tr.kindName+" "+tr.name] = fields
			}
		}
	}
	var diff struct {
		Objects []struct {
			Kind, Name string
			Fields     []struct{ Path string }
		}
	}
	decode(t, asAdmin.inHere(t, 1, "diff", "--crds", crds, "--live", jsonFile(t, live), "-o", "json", jsonFile(t, packages)), &diff)
	got := map[string][]string{}
	for _, o := range diff.Objects {
		var fields []string
		for _, f := range o.Fields {
			fields = append(fields, sectionOf(f.Path))
		}
		slices.Sort(fields)
		got[o.Kind+" "+o.Name] = slices.Compact(fields)
	}
	for name, fields := range want {
		if !areSame(fields, got[name]) {
			t.Errorf("%s: an apply changes %q, and diff shows %q", name, fields, got[name])
		}
		delete(got, name)
	}
	t.Logf("%d objects applied twice, %d of %d changed by another apply", len(all), len(want), len(live))
	for name, fields := range got {
		t.Errorf("%s: an apply changes nothing, and diff shows %q", name, fields)
	}
}

// areSame tells whether diff shows the fields that an apply changes; it shows a new map as a whole.
func areSame(applied, shown []string) bool {
	isIn := func(field string) func(string) bool {
		return func(whole string) bool { return field == whole || strings.HasPrefix(field, whole+".") }
	}
	for _, field := range applied {
		if !slices.ContainsFunc(shown, isIn(field)) {
			return false
		}
	}
	return !slices.ContainsFunc(shown, func(whole string) bool {
		return !slices.ContainsFunc(applied, func(field string) bool { return isIn(field)(whole) })
	})
}

// inNamespace is a package with the namespace, if the kind has one.
func (t *triple) inNamespace() object {
	config := t.newConfig()
	if strings.Contains(t.kind.path, "/namespaces/") {
		inner(config, "metadata")["namespace"] = "default"
	}
	return config
}

// inHere runs krm-fields in the folder of the test; it must end with that code.
func (c command) inHere(t *testing.T, code int, args ...string) string {
	t.Helper()
	c.folder = "."
	got := c.run(t, append([]string{"krm-fields"}, args...)...)
	if got.code != code {
		t.Fatalf("krm-fields %s must have exit code %d, has %d\n%s%s", args[0], code, got.code, got.out, got.err)
	}
	return got.out
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// jsonFile writes objects to a new file.
func jsonFile(t *testing.T, objects []object) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "objects.yaml")
	var all strings.Builder
	for _, o := range objects {
		all.WriteString("---\n" + text(o) + "\n")
	}
	if err := os.WriteFile(path, []byte(all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// changed are the sections of objects that differ, without what only the API server sets.
func changed(a, b object) []string {
	a, b = stable(a), stable(b)
	take(a)
	take(b)
	var sections []string
	for key := range overlay(a, b) {
		below, other := inner(a, key), inner(b, key)
		for name := range overlay(below, other) {
			if !reflect.DeepEqual(below[name], other[name]) {
				sections = append(sections, section(key, name))
			}
		}
		if len(below)+len(other) == 0 && !reflect.DeepEqual(a[key], b[key]) {
			sections = append(sections, section(key))
		}
	}
	slices.Sort(sections)
	return slices.Compact(sections)
}

// inner is the map at a key, empty where there is none.
func inner(o object, key string) object {
	if value, ok := o[key].(object); ok {
		return value
	}
	return object{}
}

// sectionOf is the section of a path as krm-fields shows it.
func sectionOf(path string) string {
	return section(strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(`.["]`, r) })...)
}

// section is what a path is counted under: two names below spec and metadata, else one.
func section(path ...string) string {
	switch {
	case path[0] == "stringData":
		return "data" // where a Secret keeps it
	case len(path) > 1 && (path[0] == "spec" || path[0] == "metadata"):
		return path[0] + "." + path[1]
	}
	return path[0]
}
