package cluster

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// rbac is the manifest of docs/apply.md.
const rbac = "docs/apply/rbac.yaml"

const shop = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: "app:1"}]}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {color: red}
`

const shopRules = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata: {name: owned}
ignoreFields:
- jsonPointers: [/spec/replicas]
`

// shopOperations are all operations of ApplyOperations, on both kinds.
const shopOperations = `apiVersion: fn.kpt.dev/v1alpha1
kind: ApplyOperations
metadata: {name: operations}
operations:
- {operation: Create, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: shop}, data: {a: "1"}}}
- operation: CreateIfNotExists
  object:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: d, namespace: shop}
    spec:
      selector: {matchLabels: {a: b}}
      template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}
- {operation: CreateOrUpdate, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: shop}, data: {a: "2"}}}
- {operation: JQPatch, kind: ConfigMap, apiVersion: v1, namespace: shop, name: one, jqFilter: '.data.b = "1"'}
- {operation: MergePatch, kind: Deployment, apiVersion: apps/v1, namespace: shop, name: d, mergePatch: {spec: {replicas: 2}}}
- operation: JSONPatch
  apiVersion: apps/v1
  kind: Deployment
  namespace: shop
  name: d
  subresource: status
  jsonPatch: [{op: add, path: /status/replicas, value: 2}]
- {operation: DeleteInBackground, kind: Deployment, apiVersion: apps/v1, namespace: shop, name: d}
- {operation: Delete, kind: ConfigMap, apiVersion: v1, namespace: shop, name: one}
- {operation: DeleteNonCascading, kind: ConfigMap, apiVersion: v1, namespace: shop, name: missing}
`

// TestRights runs the commands as a user with exactly the permissions of the manifest in the
// documentation, and checks that the commands need all of them.
func TestRights(t *testing.T) {
	namespace(t, "shop")
	asAdmin.succeed(t, "kubectl", "apply", "-f", rbac)
	manifest, rules, operations := file(t, "shop.yaml", shop), file(t, "rules.yaml", shopRules), file(t, "operations.yaml", shopOperations)

	if got := asDeployer.run(t, "krm-fields", "plan", "--from-cluster", manifest); got.code != 2 || !strings.Contains(got.out, "Forbidden") {
		t.Errorf("without a right, plan must say so of the objects, has exit code %d\n%s%s", got.code, got.out, got.err)
	}

	bind(t, "krm-fields-diff")
	asDeployer.succeed(t, "krm-fields", "plan", "--from-cluster", manifest)
	used := requests(t, deployer, func() {
		if got := asDeployer.run(t, "krm-fields", "diff", manifest); got.code != 1 {
			t.Errorf("diff must find that the objects are new, has exit code %d\n%s", got.code, got.err)
		}
	})
	checkRights(t, "krm-fields-diff", used)

	// The permission to create shows in no request: the API server checks it during the patch.
	bind(t, "krm-fields-apply")
	first := requests(t, deployer, func() { asDeployer.succeed(t, "krm-fields", "apply", "-c", rules, manifest) })
	checkRights(t, "krm-fields-apply", first, "create configmaps", "create deployments.apps")
	asAdmin.succeed(t, "kubectl", "delete", "-f", manifest)
	asAdmin.succeed(t, "kubectl", "patch", "role", "krm-fields-apply", "--namespace", "shop", "--type=json", "--patch",
		`[{"op": "replace", "path": "/rules/0/verbs", "value": ["get", "patch"]}]`)
	got := asDeployer.run(t, "krm-fields", "apply", "-c", rules, manifest)
	if got.code != 1 || !strings.Contains(got.out, "ConfigMap shop/settings: failed") || !strings.Contains(got.out, "Deployment shop/web: created") {
		t.Errorf("without the right to create ConfigMaps, one alone must fail, has exit code %d\n%s%s", got.code, got.out, got.err)
	}

	bind(t, "krm-fields-operations")
	var all []request
	collecting(t, "shop", func() {
		all = requests(t, deployer, func() { asDeployer.succeed(t, "krm-fields", "apply", "-c", operations, "--timeout=1m") })
	})
	// Each kind is deleted in only one of the ways.
	checkRights(t, "krm-fields-operations", all, "list deployments.apps", "watch deployments.apps")
}

// asked are permissions that are used if an object does not exist, and are not needed: the second
// one in all namespaces, for an object whose name is near.
var asked = []string{"get namespaces", "list configmaps"}

// bind replaces the role of the deployer.
func bind(t *testing.T, role string) {
	t.Helper()
	asAdmin.run(t, "kubectl", "delete", "rolebinding", "deployer", "--namespace", "shop", "--ignore-not-found")
	asAdmin.succeed(t, "kubectl", "create", "rolebinding", "deployer", "--namespace", "shop", "--role", role, "--user", deployer)
}

// checkRights compares the rules of a role with the requests, and with permissions that the
// requests do not show.
func checkRights(t *testing.T, role string, made []request, more ...string) {
	t.Helper()
	made = slices.DeleteFunc(made, func(r request) bool {
		return slices.Contains(asked, r.right()) && r.Response.Code == http.StatusForbidden
	})
	for _, r := range made {
		if r.Response.Code == http.StatusForbidden {
			t.Errorf("%s must be enough, is not: %s", role, r.right())
		}
	}
	var of struct {
		Rules []struct{ APIGroups, Resources, Verbs []string }
	}
	text := asAdmin.succeed(t, "kubectl", "get", "role", role, "--namespace", "shop", "-o", "json")
	if err := json.Unmarshal([]byte(text), &of); err != nil {
		t.Fatal(err)
	}
	var given []string
	for _, rule := range of.Rules {
		for _, verb := range rule.Verbs {
			resource, subresource, has := strings.Cut(rule.Resources[0], "/")
			if rule.APIGroups[0] != "" {
				resource += "." + rule.APIGroups[0]
			}
			if has {
				resource += "/" + subresource
			}
			given = append(given, verb+" "+resource)
		}
	}
	slices.Sort(given)
	needed := append(rights(made), more...)
	slices.Sort(needed)
	if needed = slices.Compact(needed); !slices.Equal(given, needed) {
		t.Errorf("%s must have the rights that are needed:\n%q\nhas:\n%q", role, needed, given)
	}
}

// TestUnchangedIsNotSent counts the requests of an apply to the API server.
func TestUnchangedIsNotSent(t *testing.T) {
	namespace(t, "shop")
	asAdmin.succeed(t, "kubectl", "apply", "-f", rbac)
	bind(t, "krm-fields-apply")
	manifest, rules := file(t, "shop.yaml", shop), file(t, "rules.yaml", shopRules)
	apply := func() { asDeployer.succeed(t, "krm-fields", "apply", "-c", rules, manifest) }
	count := func(what string, want int, do func()) {
		t.Helper()
		made := requests(t, deployer, do)
		patches := 0
		for _, r := range made {
			if r.Verb == "patch" {
				patches++
			}
		}
		if patches != want || len(made) == 0 {
			t.Errorf("%s must make %d patches, made %d:%s", what, want, patches, show(made))
		}
	}
	count("the first apply", 2, apply)
	count("one with nothing changed", 0, apply)
	asAdmin.succeed(t, "kubectl", "scale", "deployment", "web", "--namespace", "shop", "--replicas=9")
	count("one after the autoscaler", 0, apply)
	if err := os.WriteFile(manifest, []byte(strings.ReplaceAll(shop, "red", "blue")), 0o644); err != nil {
		t.Fatal(err)
	}
	count("one with a ConfigMap changed", 1, apply)
}
