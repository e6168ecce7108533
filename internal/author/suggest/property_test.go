package suggest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestSameAsFromOwners runs random packages with fromOwners and with the rules that are suggested
// for them: the output is the same, hashes included.
func TestSameAsFromOwners(t *testing.T) {
	suggested := 0
	for seed := range uint64(150) {
		text := randomPackage(rand.New(rand.NewPCG(seed, 0)))
		out, err := FromOwners(parseAll(t, text), options)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if out.Config == nil {
			continue
		}
		suggested++
		fromOwners, err := tree.Parse([]byte("{apiVersion: fn.kpt.dev/v1alpha1, kind: IgnoreFields, metadata: {name: x}, ignoreFields: [{fromOwners: true}]}"))
		if err != nil {
			t.Fatal(err)
		}
		want, _ := fn.Items(fromOwners, parseAll(t, text))
		got, results := fn.Items(out.Config, parseAll(t, text))
		if fn.HasError(results) {
			t.Fatalf("seed %d: %v", seed, results)
		}
		for i := range want {
			if !tree.Equal(want[i].Root(), got[i].Root()) {
				t.Errorf("seed %d: the rules do another thing to\n%s", seed, text)
			}
		}
	}
	if suggested < 50 {
		t.Errorf("only %d of the packages have owners", suggested)
	}
}

func parseAll(t *testing.T, text string) []*object.Object {
	t.Helper()
	var all []*object.Object
	for document := range strings.SplitSeq(text, "---\n") {
		o, err := object.ParseDocument([]byte(document))
		if err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		all = append(all, o)
	}
	return all
}

// randomPackage makes up to eight objects, some of which own fields of others.
func randomPackage(r *rand.Rand) string {
	name := func() string { return []string{"a", "b", "c"}[r.IntN(3)] }
	metadata := func(more string) string {
		namespace := []string{"", ", namespace: one", ", namespace: two"}[r.IntN(3)]
		return fmt.Sprintf("metadata: {name: %s%s%s}", name(), namespace, more)
	}
	weights := func() string {
		return fmt.Sprintf("[{destination: {host: s}, weight: %d}, {destination: {host: c}, weight: %d}]", r.IntN(100), r.IntN(100))
	}
	kinds := []func() string{
		func() string {
			return "apiVersion: apps/v1\nkind: Deployment\n" + metadata("") + fmt.Sprintf("\nspec: {replicas: %d, paused: false}\n", r.IntN(3))
		},
		func() string {
			return "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n" + metadata("") +
				"\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: " + name() + "}}\n"
		},
		func() string {
			return "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\n" + metadata("") + "\nspec: {scaleTargetRef: {name: " + name() + "}}\n"
		},
		func() string {
			return "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\n" + metadata("") +
				"\nspec: {replicas: 1, workloadRef: {apiVersion: apps/v1, kind: Deployment, name: " + name() + ", scaleDown: onsuccess}, " +
				"strategy: {canary: {trafficRouting: {istio: {virtualService: {name: " + name() + ", routes: [" + name() + "]}}}}}}\n"
		},
		func() string {
			return "apiVersion: networking.istio.io/v1\nkind: VirtualService\n" + metadata("") +
				"\nspec: {hosts: [x], http: [{name: " + name() + ", route: " + weights() + "}, {name: " + name() + ", route: " + weights() + "}]}\n"
		},
		func() string {
			return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n" +
				metadata(", annotations: {cert-manager.io/inject-ca-from: x/y}") +
				"\nwebhooks: [{name: a, clientConfig: {caBundle: Cg==}}, {name: b, clientConfig: {url: x}}, {name: c, clientConfig: {caBundle: Cg==}}]\n"
		},
		func() string {
			return "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: " + name() + "}\naggregationRule: {}\nrules: []\n"
		},
	}
	var documents []string
	seen := map[string]bool{}
	for range 2 + r.IntN(7) {
		document := kinds[r.IntN(len(kinds))]()
		identity, _, _ := strings.Cut(document, "\nspec")
		if !seen[identity] { // two objects of one name are no package
			seen[identity] = true
			documents = append(documents, document)
		}
	}
	return strings.Join(documents, "---\n")
}
