// Package precommit runs the hook of .pre-commit-hooks.yaml under the real pre-commit, against a
// repository of its own.
package precommit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const config = `repos:
- repo: REPOSITORY
  rev: v0.9.0
  hooks:
  - id: krm-fields
    args: [--config, rules.yaml, --]
    exclude: ^rules\.yaml$
`

// TestHook commits the first example: the hook strips the field and stops the commit, and lets the
// next one pass.
func TestHook(t *testing.T) {
	root, err := filepath.Abs(harness.Root())
	if err != nil {
		t.Fatal(err)
	}
	hooks, work := filepath.Join(t.TempDir(), "hooks"), filepath.Join(t.TempDir(), "work")
	env := append(os.Environ(), "PRE_COMMIT_HOME="+filepath.Join(t.TempDir(), "cache"), "GOFLAGS=-modcacherw -trimpath", "CGO_ENABLED=0", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com",
		"GOPROXY=file://"+moduleCache(t))
	do := func(folder string, args ...string) (string, error) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = folder, env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(folder string, args ...string) string {
		t.Helper()
		out, err := do(folder, args...)
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return out
	}
	must(".", "git", "clone", "--quiet", "--no-tags", root, hooks)
	must(hooks, "git", "tag", "v0.9.0")

	files := harness.ReadTree(t, filepath.Join(root, "examples", "first-rule"))
	files[".pre-commit-config.yaml"] = strings.Replace(config, "REPOSITORY", hooks, 1)
	files["values.yaml"] = "image: {tag: v1}\n"
	files["--results=results.yaml"] = files["hpa.yaml"] // not a flag
	harness.WriteTree(t, work, files)
	must(work, "git", "init", "--quiet")
	must(work, "pre-commit", "install")
	must(work, "git", "add", ".")

	out, err := do(work, "git", "commit", "-m", "first")
	for _, want := range []string{"files were modified by this hook", "1 field removed: spec.replicas", "wrote deployment.yaml"} {
		if err == nil || !strings.Contains(out, want) {
			t.Fatalf("the hook must stop the commit and say %q, got %v:\n%s", want, err, out)
		}
	}
	original := files["deployment.yaml"]
	delete(files, "deployment.yaml")
	after := harness.ReadTree(t, work)
	if strings.Contains(after["deployment.yaml"], "replicas:") || after["hpa.yaml"] != files["hpa.yaml"] || after["values.yaml"] != files["values.yaml"] ||
		after["results.yaml"] != "" {
		t.Errorf("the hook must strip spec.replicas and change nothing else, deployment.yaml is:\n%s", after["deployment.yaml"])
	}
	must(work, "git", "add", ".")
	must(work, "git", "commit", "-m", "second")

	files["deployment.yaml"] = original
	files[".pre-commit-config.yaml"] = strings.NewReplacer("REPOSITORY", hooks, "id: krm-fields", "id: krm-fields-check",
		"args: [--config, rules.yaml, --]", "args: [--exclude, rules.yaml, .]").Replace(config)
	harness.WriteTree(t, work, files)
	must(work, "git", "add", ".")
	out, err = do(work, "git", "commit", "-m", "third")
	if want := "deployment.yaml:10: error: spec.replicas is also written by HorizontalPodAutoscaler"; err == nil || !strings.Contains(out, want) {
		t.Fatalf("the hook that checks must stop the commit and say %q, got %v:\n%s", want, err, out)
	}
}

// moduleCache is where Go keeps the modules that it has downloaded, in the form of a proxy.
func moduleCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "cache", "download")
}
