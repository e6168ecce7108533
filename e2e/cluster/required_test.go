package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// whole are objects with every field that validation may require.
const whole = "testdata/whole.yaml"

// conditional are fields that validation requires only if other fields have certain values, which
// is not modelled.
var conditional = regexp.MustCompile(`^(.* .*\.matchExpressions\[\d+\]\.values|.* .*\.seccompProfile\.localhostProfile|` +
	`Service spec\.ports(\[\d+\]\.name)?|Role rules\[0\]\.(apiGroups|resources)|` +
	`HorizontalPodAutoscaler spec\.metrics\[\d\]\.(resource|pods|external|object)(\.target\.average(Value|Utilization))?)$`)

// TestRequiredFields removes each field of some objects in turn, and empties each list and text,
// and compares the plan of an apply with the API server: if the plan reports a field as required,
// the server refuses the object, and if the server reports that this field is required no matter
// what the others are, so does the plan.
func TestRequiredFields(t *testing.T) {
	var lacking []object
	var fields []string
	for _, o := range objectsOf(t, whole) {
		lacking, fields = append(lacking, named(o, len(lacking))), append(fields, "")
		for _, field := range fieldsOf(o, nil) {
			if field[0] == "metadata" || field[0] == "apiVersion" || field[0] == "kind" {
				continue
			}
			for _, changed := range []object{without(t, o, field), emptied(t, o, field)} {
				if changed != nil {
					lacking, fields = append(lacking, named(changed, len(lacking))), append(fields, asCause(field))
				}
			}
		}
	}
	planned := planOf(t, lacking, nil)
	api := newAPI(t)
	for i, o := range lacking {
		kind := o["kind"].(string)
		got := api.do(http.MethodPatch, pathOf(o)+"?fieldManager=kubectl&dryRun=All", applyPatch, []byte(text(o)))
		isRefused := got.code == http.StatusUnprocessableEntity || got.code == http.StatusInternalServerError || got.code == http.StatusBadRequest
		switch plan := planned[i]; {
		case fields[i] == "" && got.code != http.StatusCreated:
			t.Errorf("%s must be valid: %s", kind, got)
		case plan.Outcome == "refused" && !isRefused:
			t.Errorf("%s without %s: the plan says %q, the server takes it (%d)", kind, fields[i], plan.Cause, got.code)
		case plan.Outcome != "refused" && isRefused && saysRequired(got, fields[i]) && !conditional.MatchString(kind+" "+fields[i]):
			t.Errorf("%s without %s: the plan says %s, the server %q", kind, fields[i], plan.Outcome, got.object["message"])
		}
	}
	t.Logf("%d objects", len(lacking))
}

// objectsOf returns the objects in a file.
func objectsOf(t *testing.T, path string) (objects []object) {
	t.Helper()
	documents, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range strings.Split(string(documents), "\n---\n") {
		// kubectl parses YAML, for which the tests have no library.
		got := command{user: admin, stdin: document}.succeed(t, "kubectl", "create", "--dry-run=client", "--validate=false", "-o", "json", "-f", "-")
		var o object
		decode(t, strings.ReplaceAll(got, "NAME", "whole"), &o)
		objects = append(objects, o)
	}
	return objects
}

// fieldsOf returns the paths of all fields in maps.
func fieldsOf(value any, at []string) [][]string {
	var all [][]string
	switch v := value.(type) {
	case object:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			path := append(slices.Clone(at), key)
			all = append(append(all, path), fieldsOf(v[key], path)...)
		}
	case []any:
		for i, element := range v {
			all = append(all, fieldsOf(element, append(slices.Clone(at), fmt.Sprint(i)))...)
		}
	}
	return all
}

// emptied returns a copy of an object with an empty list or text in place of that of a field, nil
// for a field of another type.
func emptied(t *testing.T, o object, path []string) object {
	t.Helper()
	copied, m := parentOf(t, o, path)
	last := path[len(path)-1]
	switch m[last].(type) {
	case []any:
		m[last] = []any{}
	case string:
		m[last] = ""
	default:
		return nil
	}
	return copied
}

// without returns a copy of a value without a field.
func without(t *testing.T, value any, path []string) object {
	t.Helper()
	copied, m := parentOf(t, value, path)
	delete(m, path[len(path)-1])
	return copied
}

// parentOf returns a copy of a value, and the map in it that has a field.
func parentOf(t *testing.T, value any, path []string) (whole, parent object) {
	t.Helper()
	var copied object
	_ = json.Unmarshal([]byte(text(value)), &copied) // it came out of JSON
	var at any = copied
	for _, step := range path[:len(path)-1] {
		switch v := at.(type) {
		case object:
			at = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil {
				t.Fatal(err)
			}
			at = v[i]
		}
	}
	return copied, at.(object)
}

func named(o object, number int) object {
	copied := maps.Clone(o)
	metadata := maps.Clone(meta(o))
	metadata["name"] = fmt.Sprintf("whole-%d", number)
	copied["metadata"] = metadata
	return copied
}

// asCause formats a path as the API server does in its causes.
func asCause(path []string) string {
	var b strings.Builder
	for i, step := range path {
		switch {
		case step[0] >= '0' && step[0] <= '9':
			b.WriteString("[" + step + "]")
		case i > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	return b.String()
}

// saysRequired tells whether the answer reports a field as required, and the field does not exist.
func saysRequired(got answer, field string) bool {
	details, _ := got.object["details"].(object)
	causes, _ := details["causes"].([]any)
	return slices.ContainsFunc(causes, func(c any) bool {
		cause, _ := c.(object)
		return cause["reason"] == "FieldValueRequired" && cause["field"] == field
	})
}

// pathOf returns the path of an object of the API server.
func pathOf(o object) string {
	apiVersion, kind := o["apiVersion"].(string), strings.ToLower(o["kind"].(string))
	path := "/apis/" + apiVersion
	if !strings.Contains(apiVersion, "/") {
		path = "/api/" + apiVersion
	}
	if namespace, ok := meta(o)["namespace"].(string); ok {
		path += "/namespaces/" + namespace
	}
	switch {
	case strings.HasSuffix(kind, "s"):
		kind += "es"
	case strings.HasSuffix(kind, "y"):
		kind = strings.TrimSuffix(kind, "y") + "ies"
	default:
		kind += "s"
	}
	return path + "/" + kind + "/" + meta(o)["name"].(string)
}

// A planned is the plan for an object.
type planned struct{ Name, Outcome, Cause string }

func planOf(t *testing.T, objects, live []object) []planned {
	t.Helper()
	there := file(t, "live.yaml", text(object{"apiVersion": "v1", "kind": "List", "items": live}))
	got := asAdmin.run(t, "krm-fields", "plan", "--crds", absolute(t, crds), "--live", there, "-o", "json", jsonFile(t, objects))
	var plan struct{ Objects []planned }
	if err := json.Unmarshal([]byte(got.out), &plan); err != nil || len(plan.Objects) != len(objects) {
		t.Fatalf("there must be a plan of %d objects, found %d (%v)\n%s", len(objects), len(plan.Objects), err, got.err)
	}
	return plan.Objects
}

// absolute is the absolute path of a file of the tests.
func absolute(t *testing.T, path string) string {
	t.Helper()
	whole, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}
