package cluster

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

var writes = flag.Int("writes", 20, "how many writes TestAdmissionPolicies makes for each rule")

// An admitted is a rule that becomes a policy, and the paths of its fields: keys, an index, `*` for
// each element of a list, `name=app` for those of the name.
type admitted struct {
	kind, expression string
	paths            []string
}

// admittedRules are those of the examples and of public packages, in all dialects.
var admittedRules = []admitted{
	{"Deployment", "jsonPointers: [/spec/replicas]", []string{"spec replicas"}},
	{"Deployment", "jsonPaths: ['.spec.template.spec.containers[?(@.name==\"app\")].image']", []string{"spec template spec containers name=app image"}},
	{"Deployment", "jqPathExpressions: ['.spec.template.spec.containers[] | select(.name != \"app\")']", []string{"spec template spec containers name!=app"}},
	{"Deployment", "jqPathExpressions: ['.spec.template.spec.containers[] | select(.name == \"app\") | .env[]? | select(.name == \"A\") | .value']",
		[]string{"spec template spec containers name=app env name=A value"}},
	{"Deployment", "jsonPaths: ['.spec.template.spec.containers[*].resources.limits']", []string{"spec template spec containers * resources limits"}},
	{"Deployment", "jsonPointers: [/metadata/annotations/note, /metadata/labels/team]", []string{"metadata annotations note", "metadata labels team"}},
	{"Deployment", "jsonPointers: [/spec/template/metadata/annotations/at]", []string{"spec template metadata annotations at"}},
	{"Deployment", "jqPathExpressions: ['.spec.paused, .spec.revisionHistoryLimit']", []string{"spec paused", "spec revisionHistoryLimit"}},
	{"Deployment", "jsonPointers: [/spec/template/spec/tolerations]", []string{"spec template spec tolerations"}},
	{"StatefulSet", "jsonPointers: [/spec/replicas, /spec/updateStrategy]", []string{"spec replicas", "spec updateStrategy"}},
	{"ConfigMap", "jsonPaths: [\".data['c.yaml']\"]", []string{"data c.yaml"}},
	{"ConfigMap", "jsonPointers: [/data]", []string{"data"}},
	{"Secret", "jsonPointers: [/data/a]", []string{"data a"}},
	{"Secret", "jsonPointers: [/stringData/s]", []string{"data s"}},
	{"Service", "jsonPointers: [/spec/ports/*/targetPort]", []string{"spec ports * targetPort"}},
	{"Service", "jsonPointers: [/spec/ports/0/port]", []string{"spec ports 0 port"}},
	{"HorizontalPodAutoscaler", "jsonPointers: [/spec/maxReplicas]", []string{"spec maxReplicas"}},
	{"Ingress", "jqPathExpressions: ['.spec.rules[]?.http.paths[]?.backend']", []string{"spec rules * http paths * backend"}},
	{"Granular", "jsonPaths: ['.spec.routes[?(@.host==\"a\")].weight']", []string{"spec routes host=a weight"}},
	{"Keyed", "jqPathExpressions: ['.spec.items[]? | select(.name | startswith(\"a\")) | .value']", []string{"spec items name=a value"}},
}

// fieldsAt are the values at a path.
func fieldsAt(value any, path []string) []any {
	if len(path) == 0 {
		return []any{value}
	}
	if members, ok := value.(map[string]any); ok {
		if value, ok = members[path[0]]; !ok {
			return nil
		}
		return fieldsAt(value, path[1:])
	}
	elements, _ := value.([]any)
	var found []any
	for i, element := range elements {
		members, _ := element.(map[string]any)
		key, want, isNamed := strings.Cut(path[0], "=")
		key, isOther := strings.CutSuffix(key, "!")
		if path[0] == "*" || path[0] == fmt.Sprint(i) || isNamed && (members[key] == want) != isOther {
			found = append(found, fieldsAt(element, path[1:])...)
		}
	}
	return found
}

func (a admitted) values(o object) [][]any {
	var all [][]any
	for _, path := range a.paths {
		all = append(all, fieldsAt(o, strings.Fields(path)))
	}
	return all
}

// A writer makes writes to two objects alike: one under a policy, and its twin that has none.
type writer struct {
	*triple
	rule admitted
}

const fieldOwner = "field-owner"

// write makes one write to an object. What it is depends on the seed alone.
func (w *writer) write(seed uint64, name, manager string, dryRun bool) (string, answer) {
	t := *w.triple
	t.r, t.name = rand.New(rand.NewPCG(seed, 0)), name
	query := "?fieldManager=" + manager
	if dryRun {
		query += "&dryRun=All"
	}
	config := t.newConfig()
	send := func(method, path, contentType, query string, body object) answer {
		text, err := json.Marshal(body)
		if err != nil {
			return answer{err: err}
		}
		return t.api.do(method, path+query, contentType, text)
	}
	switch t.r.IntN(6) {
	case 0, 1:
		return "apply", send(http.MethodPatch, t.path(), applyPatch, query+"&force=true", config)
	case 2:
		current := t.api.do(http.MethodGet, t.path(), "", nil).object
		for key, value := range config {
			if key != "metadata" {
				current[key] = value
			}
		}
		return "update", send(http.MethodPut, t.path(), "application/json", query, current)
	case 3:
		if t.kind.scale {
			return "scale", send(http.MethodPatch, t.path()+"/scale", mergePatch, query, object{"spec": object{"replicas": 1 + t.r.IntN(4)}})
		}
	case 4:
		if t.kind.status != nil {
			status, _ := generate(t.r, t.kind.status)
			return "status", send(http.MethodPatch, t.path()+"/status", mergePatch, query, object{"status": status})
		}
	}
	return "patch", send(http.MethodPatch, t.path(), mergePatch, query, config)
}

// TestAdmissionPolicies holds on random writes that the API server, by the policies that convert
// makes of rules, refuses those of others than the owner that change a field of the rule, and no
// other.
func TestAdmissionPolicies(t *testing.T) {
	api := newAPI(t)
	createCRDs(t, api)
	var rules strings.Builder
	name := func(i int) string { return fmt.Sprintf("admission-%d", i) }
	for i, rule := range admittedRules {
		fmt.Fprintf(&rules, "---\napiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: %[1]s}\nselectors: [{kind: %[2]s, name: %[1]s}]\nignoreFields:\n- %[3]s\n", name(i), rule.kind, rule.expression)
	}
	rules.WriteString("---\napiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: admission-last}\nselectors: [{kind: ConfigMap, name: admission-last}]\nignoreFields:\n- jsonPointers: [/data]\n")
	policies := asAdmin.succeed(t, "krm-fields", "convert", "--to", "admission-policy", "--owners", fieldOwner, file(t, "rules.yaml", rules.String()))
	applied(t, policies)
	t.Cleanup(func() { command{user: admin, stdin: policies}.succeed(t, "kubectl", "delete", "-f", "-") })
	awaitPolicies(t, api)
	decided, refused := 0, 0
	for i, rule := range admittedRules {
		r := rand.New(rand.NewPCG(*seed, uint64(i)))
		w := &writer{triple: &triple{api: api, r: r, name: name(i), kindName: rule.kind, kind: kinds[rule.kind]}, rule: rule}
		all, not := w.check(t)
		t.Logf("%-24s %3d writes decided, %3d refused: %s", rule.kind, all, not, rule.expression)
		decided, refused = decided+all, refused+not
		if not == 0 || not == all {
			t.Errorf("%s: %d of %d refused prove little", rule.expression, not, all)
		}
	}
	t.Logf("%d writes decided, %d of them refused", decided, refused)
}

// check makes the writes, and returns how many the server took or would have taken without the
// policy, and how many of them it refused by the policy.
func (w *writer) check(t *testing.T) (decided, refused int) {
	guarded, free := w.name, w.name+"-free"
	for _, name := range []string{guarded, free} {
		first := *w.triple
		first.name, first.r = name, rand.New(rand.NewPCG(*seed, 1))
		if got := first.api.patch(first.path(), fieldOwner, applyPatch, first.newConfig(), true); got.code != http.StatusCreated {
			t.Fatal(got)
		}
		t.Cleanup(first.remove)
	}
	at := func(name string) object {
		named := *w.triple
		named.name = name
		return w.api.do(http.MethodGet, named.path(), "", nil).object
	}
	for range *writes {
		seed, manager := w.r.Uint64(), pick(w.r, []string{fieldOwner, "kubectl", "kustomize-controller"})
		before := at(free)
		what, tried := w.write(seed, free, manager, true)
		if tried.code != http.StatusOK {
			continue // not valid, whoever writes it
		}
		isSub := what == "scale" || what == "status"
		wantRefused := manager != fieldOwner && !isSub && !reflect.DeepEqual(w.rule.values(before), w.rule.values(tried.object))
		_, got := w.write(seed, guarded, manager, false)
		isRefused := got.code == http.StatusForbidden && strings.Contains(fmt.Sprint(got.object["message"]), "may be written by "+fieldOwner+" only")
		if isRefused != wantRefused || !isRefused && got.code != http.StatusOK {
			t.Errorf("%s by %s under %s must be refused: %v, is %v\nfrom %v\nto   %v", what, manager, w.rule.expression, wantRefused, got, w.rule.values(before), w.rule.values(tried.object))
			return decided, refused
		}
		decided++
		if isRefused {
			refused++
		} else if _, got := w.write(seed, free, manager, false); got.code != http.StatusOK {
			t.Fatal(got)
		}
	}
	return decided, refused
}

// awaitPolicies waits until the server holds to the policy that was made last.
func awaitPolicies(t *testing.T, api *api) {
	const path = "/api/v1/namespaces/default/configmaps/admission-last"
	last := func(value string) object {
		return object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "admission-last"}, "data": object{"a": value}}
	}
	api.patch(path, fieldOwner, applyPatch, last("1"), true)
	t.Cleanup(func() { api.do(http.MethodDelete, path, "", nil) })
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for i := 0; api.patch(path, "other", applyPatch, last(fmt.Sprint(i)), true).code != http.StatusForbidden; i++ {
		<-ticker.C
	}
}
