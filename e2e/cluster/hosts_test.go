package cluster

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	helmChart = "docs/start/helm/shop"
	helmRules = "docs/start/helm/ignore-fields.yaml"
)

// TestHelm upgrades a release whose replicas an autoscaler has set meanwhile, and checks what
// docs/start/helm.md says about the first upgrade with the rule: Helm 4 applies server-side, and
// leaves the field to its owner; Helm 3 removes it.
func TestHelm(t *testing.T) {
	for _, helm := range []struct {
		program, first string
		flags          []string
	}{
		{"helm", "10", []string{"--post-renderer=krm-fields", "--post-renderer-args=--config=" + helmRules}},
		{"helm3", "1", []string{"--post-renderer=krm-fields", "--post-renderer-args=run", "--post-renderer-args=--config=" + helmRules}},
	} {
		t.Run(helm.program, func(t *testing.T) {
			namespace(t, helm.program)
			home := t.TempDir()
			c := command{user: admin, env: []string{
				"HELM_DATA_HOME=" + filepath.Join(home, "data"), "HELM_CONFIG_HOME=" + filepath.Join(home, "config"),
				"HELM_CACHE_HOME=" + filepath.Join(home, "cache"),
			}}
			if helm.program == "helm" {
				c.succeed(t, "helm", "plugin", "install", "plugins/helm")
			}
			do := func(action, release string, flags ...string) string {
				return c.succeed(t, slices.Concat([]string{helm.program, action, release, helmChart, "--namespace", helm.program}, flags)...)
			}
			scale := func(release string) {
				c.succeed(t, "kubectl", "patch", "deployment", release+"-shop", "--namespace", helm.program, "--subresource=scale",
					"--field-manager=kube-controller-manager", "--type=merge", "--patch", `{"spec": {"replicas": 10}}`)
			}
			checkReplicas := func(release, want string) {
				t.Helper()
				got := c.succeed(t, "kubectl", "get", "deployment", release+"-shop", "--namespace", helm.program, "-o", "jsonpath={.spec.replicas}")
				if got != want {
					t.Errorf("%s: the replicas must be %s, are %s", release, want, got)
				}
			}
			upgrade := append([]string{"--set", "image=registry.example.com/shop:1.5.0", "--no-hooks"}, helm.flags...) // no controller runs jobs

			// With the rule from the start.
			if notes := do("install", "with", helm.flags...); !strings.Contains(notes, "The shop with starts with 3 replicas.") {
				t.Errorf("install must print the notes:\n%s", notes)
			}
			checkReplicas("with", "1")
			scale("with")
			do("upgrade", "with", upgrade...)
			checkReplicas("with", "10")

			// With the rule from the first upgrade on.
			do("install", "without")
			checkReplicas("without", "3")
			scale("without")
			dryRun := do("upgrade", "without", append([]string{"--dry-run=server"}, helm.flags...)...)
			if !strings.Contains(dryRun, "HOOKS:\n---\n# Source: shop/templates/migrate.yaml\n") || strings.Contains(dryRun, "replicas: 3") {
				t.Errorf("a dry run must show the hook, and no replicas:\n%s", dryRun)
			}
			do("upgrade", "without", upgrade...)
			checkReplicas("without", helm.first)
			scale("without")
			do("upgrade", "without", upgrade...)
			checkReplicas("without", "10")
		})
	}
}

// TestFleet lets the API server validate the Job of docs/start/fleets.md, strictly.
func TestFleet(t *testing.T) {
	namespace(t, "fleet")
	got := asAdmin.succeed(t, "kubectl", "apply", "--server-side", "--validate=strict", "--dry-run=server", "--namespace", "fleet",
		"-f", "docs/start/fleets/job.yaml", "-o",
		"jsonpath={.spec.completionMode} {.spec.completions} {.spec.backoffLimitPerIndex} {.spec.podFailurePolicy.rules[0].action}")
	if want := "Indexed 1000 2 FailIndex"; got != want {
		t.Errorf("the Job must be taken as it is, got %q, want %q", got, want)
	}
}
