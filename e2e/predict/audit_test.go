package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/cli"
)

// TestAuditAgreesWithPlan holds, on random owners of fields, that audit names those whom plan says
// an apply that changes the fields conflicts with: all if there are two and one of them applies.
func TestAuditAgreesWithPlan(t *testing.T) {
	const objects, seed = 300, 5
	r := rand.New(rand.NewPCG(seed, seed))
	managers := []struct{ name, operation string }{
		{"argocd-controller", "Apply"}, {"helm", "Apply"}, {"ci", "Apply"}, {"kustomize-controller", "Update"}, {"hpa", "Update"}, {"injector", "Update"},
	}
	const appliers = 4
	const label = `"f:metadata": {"f:labels": {"f:a": {}}}`
	inSpec := []string{`"f:type": {}`, `"f:selector": {}`, `"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {"f:name": {}}}`}
	const service = `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s%d", "labels": {"a": "%[2]s"}, "managedFields": [%[4]s]},
  "spec": {"type": "%[3]s", "selector": {"a": "%[2]s"}, "ports": [{"port": 80, "protocol": "TCP", "name": "%[2]s"}]}}` + "\n"
	var live, changed strings.Builder
	for i := range objects {
		var entries []string
		for _, m := range managers {
			some := slices.DeleteFunc(slices.Clone(inSpec), func(string) bool { return r.IntN(3) > 0 })
			if len(some) == 0 {
				some = inSpec[:1]
			}
			fieldsV1 := []string{`"f:spec": {` + strings.Join(some, ", ") + "}", label}[:1+r.IntN(2)]
			entries = append(entries, fmt.Sprintf(`{"manager": %q, "operation": %q, "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {%s}}`,
				m.name, m.operation, strings.Join(fieldsV1, ", ")))
		}
		fmt.Fprintf(&live, "---\n"+service, i, "old", "ClusterIP", strings.Join(entries, ", "))
		fmt.Fprintf(&changed, "---\n"+service, i, "new", "NodePort", "")
	}
	t.Chdir(t.TempDir())
	write(t, "live.yaml", live.String())
	write(t, "changed.yaml", strings.ReplaceAll(changed.String(), `, "managedFields": []`, ""))
	var planned struct {
		Objects []struct {
			Name      string
			Conflicts []struct{ Manager, Field string }
		}
	}
	output(t, &planned, "plan", "--field-manager", "other", "--live", "live.yaml", "changed.yaml")
	want, got := map[string][]string{}, map[string][]string{}
	for _, o := range planned.Objects {
		for _, c := range o.Conflicts {
			want[o.Name+c.Field] = append(want[o.Name+c.Field], c.Manager)
		}
	}
	for field, owners := range want {
		isApplier := func(name string) bool {
			return slices.IndexFunc(managers, func(m struct{ name, operation string }) bool { return m.name == name }) < appliers
		}
		if slices.Sort(owners); len(owners) < 2 || !slices.ContainsFunc(owners, isApplier) {
			delete(want, field)
		}
	}
	var found []struct {
		Field    string
		Managers []string
		Object   struct{ Name string }
	}
	output(t, &found, "audit", "--live", "live.yaml")
	for _, f := range found {
		got[f.Object.Name+f.Field] = f.Managers
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) < objects {
		t.Errorf("audit must name the %d fields of plan, and does %d (-plan +audit):\n%s", len(want), len(got), diff)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// output reads what the command line prints as JSON.
func output(t *testing.T, into any, args ...string) {
	t.Helper()
	var out, errOut bytes.Buffer
	cli.Main(append(args, "-o", "json"), cli.Build{}, cli.Streams{In: os.Stdin, Out: &out, Err: &errOut})
	if err := json.Unmarshal(out.Bytes(), into); err != nil {
		t.Fatalf("%v: %s", err, errOut.String())
	}
}
