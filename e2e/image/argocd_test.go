package image

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const (
	argocdPlugin = "plugins/argocd/plugin.yaml"
	argocdApp    = "docs/start/argocd/app"
)

// A configManagementPlugin is what Argo CD reads of a ConfigManagementPlugin, and this one uses.
type configManagementPlugin struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec struct {
		Discover struct {
			FileName string `yaml:"fileName"`
		} `yaml:"discover"`
		Generate struct {
			Command []string `yaml:"command"`
		} `yaml:"generate"`
	} `yaml:"spec"`
}

// TestArgoCD does with the plugin what Argo CD's documentation says that its server in the sidecar
// does: it looks for the file in the folder of the application, and runs the command there, as user
// 999 of the image.
func TestArgoCD(t *testing.T) {
	file, err := os.Open(filepath.Join(harness.Root(), argocdPlugin))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var plugin configManagementPlugin
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	if err := decoder.Decode(&plugin); err != nil {
		t.Fatal(err)
	}
	if plugin.Kind != "ConfigManagementPlugin" || plugin.APIVersion != "argoproj.io/v1alpha1" || plugin.Metadata.Name != "krm-fields" {
		t.Errorf("the plugin must be a ConfigManagementPlugin named krm-fields, found %+v", plugin)
	}
	app := harness.CopyPackage(t, filepath.Join(harness.Root(), argocdApp), nil)
	for folder, want := range map[string]int{app: 1, t.TempDir(): 0} {
		if found, err := filepath.Glob(filepath.Join(folder, plugin.Spec.Discover.FileName)); err != nil || len(found) != want {
			t.Errorf("discover must find %d files in %s, found %v (%v)", want, folder, found, err)
		}
	}

	want := harness.Succeed(t, app, "krm-fields", "run", "--quiet", "--config", ".krm-fields.yaml", ".")
	got := generate(t, app, plugin.Spec.Generate.Command)
	if got != want || strings.Contains(got.Stdout, "replicas") || !strings.Contains(got.Stdout, "kind: Deployment") {
		t.Errorf("generate must print what a run prints, the Deployment without its replicas\nwant %+v\ngot  %+v", want, got)
	}

	harness.WriteTree(t, app, harness.Tree{"deployment.yaml": strings.Replace(want.Stdout, "name: shop", "name: other", 1)})
	got = generate(t, app, plugin.Spec.Generate.Command)
	if got.Code != 1 || got.Stdout != "" || !strings.Contains(got.Stderr, "matched nothing in the whole run") {
		t.Errorf("where a rule of onNoMatch: Error matches nothing, generate must fail and say why, got %+v", got)
	}
}

// generate runs the command in the folder of an application, with what the sidecar in
// repo-server.yaml may do.
func generate(t *testing.T, app string, command []string) harness.Outcome {
	t.Helper()
	if err := os.Chmod(filepath.Dir(app), 0o755); err != nil { // the user of the sidecar is not the one of the test
		t.Fatal(err)
	}
	sandbox := []string{
		"run", "--rm", "--network", "none", "--user", "999", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL",
		"--security-opt", "no-new-privileges", "--volume", app + ":/app:ro", "--workdir", "/app", "--entrypoint", command[0], image,
	}
	return harness.Run(t, ".", "docker", slices.Concat(sandbox, command[1:])...)
}
