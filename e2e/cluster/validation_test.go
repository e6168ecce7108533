package cluster

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestValidation changes random fields of valid objects, one at a time, and compares the plan of
// each apply with the API server: it refuses what the plan does, and of what the plan takes it
// refuses nothing for an immutable field or the limits of a CustomResourceDefinition.
func TestValidation(t *testing.T) {
	api := newAPI(t)
	createCRDs(t, api)
	r := rand.New(rand.NewPCG(*seed, 2))
	const edits = 12
	var packages, live []object
	for _, o := range slices.Concat(objectsOf(t, settled), limitedObjects()) {
		if slices.Contains([]any{"APIService", "CustomResourceDefinition"}, o["kind"]) {
			continue // whose names say what they are
		}
		o = named(o, len(packages))
		if meta(o)["namespace"] != nil {
			inner(o, "metadata")["namespace"] = "default"
		}
		path := pathOf(o)
		list := path[:strings.LastIndexByte(path, '/')]
		if got := api.do(http.MethodPatch, path+"?fieldManager=kubectl", applyPatch, []byte(text(o))); got.code != http.StatusCreated {
			t.Fatalf("%s must be valid: %s", o["kind"], got)
		}
		t.Cleanup(func() { (&triple{api: api, kind: kind{path: list}, name: fmt.Sprint(meta(o)["name"])}).remove() })
		stored := api.do(http.MethodGet, path, "", nil).object
		fields := slices.DeleteFunc(fieldsOf(o, nil), func(field []string) bool {
			return field[0] == "metadata" || field[0] == "apiVersion" || field[0] == "kind"
		})
		r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		for _, field := range fields[:min(edits, len(fields))] {
			packages, live = append(packages, edited(t, r, o, field)), append(live, stored)
		}
	}
	var refused int
	plans := planOf(t, renamed(packages), renamed(live))
	for i, o := range packages {
		got := api.do(http.MethodPatch, pathOf(o)+"?fieldManager=kubectl&dryRun=All", applyPatch, []byte(text(o)))
		plan := plans[i]
		isRefused := got.code == http.StatusUnprocessableEntity || got.code == http.StatusInternalServerError || got.code == http.StatusBadRequest
		switch {
		case plan.Outcome == "refused" && !isRefused:
			t.Errorf("the plan says %q, the server takes it (%d): %s", plan.Cause, got.code, text(o))
		case plan.Outcome == "refused":
			refused++
		case isRefused && (o["kind"] == "Limited" || isModelled(got)):
			t.Errorf("the plan says %s, the server %q: %s", plan.Outcome, got.object["message"], text(o))
		}
	}
	t.Logf("%d edits, %d of them refused by plan and server", len(packages), refused)
	if refused < len(packages)/10 {
		t.Error("a tenth of the edits must be refused")
	}
}

// renamed are objects with names of their own.
func renamed(objects []object) (all []object) {
	for i, o := range objects {
		all = append(all, named(o, i))
	}
	return all
}

// edited is an object with another value of a field, which may be none.
func edited(t *testing.T, r *rand.Rand, o object, field []string) object {
	t.Helper()
	copied, parent := parentOf(t, o, field)
	last := field[len(field)-1]
	switch value := parent[last].(type) {
	case string:
		parent[last] = pick(r, []any{value + "x", "other", strings.ToUpper(value)})
	case float64:
		parent[last] = value + pick(r, []float64{1, -1, 100})
	case bool:
		parent[last] = !value
	case []any:
		parent[last] = slices.Concat(value, value)
		if r.IntN(2) == 0 {
			parent[last] = []any{}
		}
	default:
		delete(parent, last)
	}
	if r.IntN(4) == 0 {
		delete(parent, last)
	}
	return copied
}

// isModelled tells whether the answer is about immutable fields alone.
func isModelled(got answer) bool {
	said := []string{"immutable", "may not change once set", "pod updates may not change", "may not be changed in an update"}
	details, _ := got.object["details"].(object)
	causes, _ := details["causes"].([]any)
	return len(causes) > 0 && !slices.ContainsFunc(causes, func(c any) bool {
		cause, _ := c.(object)
		message, _ := cause["message"].(string)
		return !slices.ContainsFunc(said, func(words string) bool { return strings.Contains(message, words) })
	})
}

// limitedObjects are objects of a kind whose CustomResourceDefinition limits values.
func limitedObjects() []object {
	var all []object
	for i := range 6 {
		all = append(all, object{"apiVersion": "test.krm-fields.dev/v1", "kind": "Limited",
			"metadata": object{"name": fmt.Sprint("limited", i), "namespace": "default"},
			"spec": object{"mode": "auto", "name": "web", "size": 5.0, "share": 0.5, "class": "slow", "tags": []any{"a", "b"},
				"parts": []any{object{"id": "a", "weight": 1.0}, object{"id": "b", "weight": 2.0}}}})
	}
	return all
}
