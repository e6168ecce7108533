package helm

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/e2e/harness"
)

const (
	chart  = "docs/start/helm/shop"
	rules  = "docs/start/helm/ignore-fields.yaml"
	plugin = "plugins/helm"
)

// TestSessions runs the sessions of the documentation that need Helm.
func TestSessions(t *testing.T) {
	harness.FollowSessions(t, func(b harness.Block) bool {
		return slices.ContainsFunc(b.Commands(), func(command string) bool {
			return harness.Needs(command, "helm") || harness.Needs(command, "helm3")
		})
	})
}

// A host is a version of Helm, and the flags that make it run krm-fields.
type host struct {
	program string
	flags   []string
}

// hosts installs the plugin of Helm 4 in a new folder and returns both hosts.
func hosts(t *testing.T) []host {
	t.Helper()
	t.Setenv("HELM_DATA_HOME", t.TempDir())
	if out := harness.Succeed(t, harness.Root(), "helm", "plugin", "install", plugin).Stdout; !strings.Contains(out, "krm-fields") {
		t.Fatalf("helm must install the plugin, prints\n%s", out)
	}
	return []host{
		{"helm", []string{"--post-renderer=krm-fields"}},
		{"helm3", []string{"--post-renderer=krm-fields", "--post-renderer-args=run"}},
	}
}

// with runs a command of Helm with arguments for krm-fields run.
func (h host) with(t *testing.T, command []string, args ...string) harness.Outcome {
	t.Helper()
	command = slices.Concat(command, h.flags)
	for _, arg := range args {
		command = append(command, "--post-renderer-args="+arg)
	}
	return harness.Run(t, harness.Root(), h.program, command...)
}

var template = []string{"template", "eu", chart}

var lastDeployed = regexp.MustCompile(`(?m)^LAST DEPLOYED: .*$`)

// What would be applied: the manifests, and the hooks if the post-renderer gets them. Helm 4 also
// shows without a cluster what it would install, with the notes; e2e/cluster does the same with
// Helm 3.
func TestManifests(t *testing.T) {
	for _, h := range hosts(t) {
		commands := map[string][]string{"template": template}
		if h.program == "helm" {
			commands["install"] = []string{"install", "eu", chart, "--dry-run=client"}
		}
		for name, command := range commands {
			got := h.with(t, command, "--config="+rules)
			if got.Code != 0 {
				t.Errorf("%s %s: exit code %d\n%s", h.program, name, got.Code, got.Stderr)
			}
			out := lastDeployed.ReplaceAllString(got.Stdout, "LAST DEPLOYED: …")
			golden.ExpectFile(t, filepath.Join("../testdata/helm", h.program+"-"+name+".txt"), out)
		}
	}
}

// docs/start/helm.md says which Helm passes hooks to a post-renderer.
func TestHooks(t *testing.T) {
	for _, h := range hosts(t) {
		got := h.with(t, template, "--kind=Job", "--pointer=/spec/backoffLimit").Stdout
		isStripped := !strings.Contains(got, "backoffLimit: 1")
		if !strings.Contains(got, "kind: Job") || isStripped != (h.program == "helm") {
			t.Errorf("%s: helm must give hooks to the post-renderer, and helm3 must not; prints\n%s", h.program, got)
		}
	}
}

// The page says where the reason of a failure is shown.
func TestFailure(t *testing.T) {
	for _, h := range hosts(t) {
		results := filepath.Join(t.TempDir(), "results.yaml")
		got := h.with(t, template, "--kind=Deployment", "--pointer=/spec/none", "--strict", "--results="+results)
		if got.Code != 1 || strings.Contains(got.Stdout, "kind:") {
			t.Errorf("%s: must fail and print no manifests, has exit code %d and prints\n%s", h.program, got.Code, got.Stdout)
		}
		const reason = "matched nothing in the whole run"
		if isShown := strings.Contains(got.Stderr, reason); isShown != (h.program == "helm3") {
			t.Errorf("%s: helm3 must show the reason, and helm must not; shows\n%s", h.program, got.Stderr)
		}
		if text := harness.ReadTree(t, filepath.Dir(results))["results.yaml"]; !strings.Contains(text, reason) {
			t.Errorf("%s: the file of --results must have the reason, has\n%s", h.program, text)
		}
		got = h.with(t, template, "--config=none.yaml", "--results="+results)
		if text := harness.ReadTree(t, filepath.Dir(results))["results.yaml"]; got.Code != 1 || !strings.Contains(text, "none.yaml: no such file or directory") {
			t.Errorf("%s: exit code %d; the file of --results must say that the functionConfig is missing, says\n%s", h.program, got.Code, text)
		}
	}
}

// Helm 3 runs a post-renderer without "run" unless it is told to; the message says what to write.
func TestWithoutRun(t *testing.T) {
	for _, arg := range []string{"", "--config=" + rules, rules} {
		command := append(slices.Clone(template), "--post-renderer=krm-fields")
		if arg != "" {
			command = append(command, "--post-renderer-args="+arg)
		}
		if got := harness.Run(t, harness.Root(), "helm3", command...); got.Code != 1 || !strings.Contains(got.Stderr, "krm-fields run --config") {
			t.Errorf("helm3 with %q: exit code %d, and must show krm-fields run --config, shows\n%s", arg, got.Code, got.Stderr)
		}
	}
}

var hash = regexp.MustCompile(`open-cluster-management.io/object-hash: (\S+)`)

// What Helm 4 adds for the post-renderer is not part of the object.
func TestHashIsTheSame(t *testing.T) {
	rules, err := os.ReadFile(filepath.Join(harness.Root(), "examples/first-rule/rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	hashed := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(hashed, []byte(strings.Replace(string(rules), "objectHash: false", "objectHash: {}", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--config=" + hashed}
	rendered := harness.Succeed(t, harness.Root(), "helm", template...)
	byHand := harness.RunWith(t, harness.Root(), rendered.Stdout, "krm-fields", append([]string{"run"}, flags...)...)
	want := hash.FindString(byHand.Stdout)
	if want == "" {
		t.Fatalf("the object must have a hash:\n%s%s", byHand.Stdout, byHand.Stderr)
	}
	for _, h := range hosts(t) {
		if got := h.with(t, template, flags...); hash.FindString(got.Stdout) != want {
			t.Errorf("%s: the hash must be %s:\n%s%s", h.program, want, got.Stdout, got.Stderr)
		}
	}
}

// TestPackage installs the plugin as a release has it.
func TestPackage(t *testing.T) {
	t.Setenv("HELM_DATA_HOME", t.TempDir())
	harness.Succeed(t, harness.Root(), "make", "helm-plugin")
	root, err := filepath.Abs(harness.Root())
	if err != nil {
		t.Fatal(err)
	}
	packages, err := filepath.Glob(filepath.Join(root, "dist", "helm", "*"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("make helm-plugin must write one package, found %v (%v)", packages, err)
	}
	harness.Succeed(t, harness.Root(), "helm", "plugin", "install", "--verify=false", packages[0])
	got := harness.Succeed(t, harness.Root(), "helm", append(template, "--post-renderer=krm-fields", "--post-renderer-args=--config="+rules)...)
	if strings.Contains(got.Stdout, "replicas:") {
		t.Errorf("the packaged plugin must leave spec.replicas out:\n%s%s", got.Stdout, got.Stderr)
	}
}
