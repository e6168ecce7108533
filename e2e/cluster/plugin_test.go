package cluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlugin runs the program as a plugin of the real kubectl.
func TestPlugin(t *testing.T) {
	program, err := exec.LookPath("krm-fields")
	if err != nil {
		t.Fatal(err)
	}
	if program, err = filepath.Abs(program); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Symlink(program, filepath.Join(folder, "kubectl-krm_fields")); err != nil {
		t.Fatal(err)
	}
	// The script is that of docs/apply.md.
	script := "#!/bin/sh\nexec kubectl krm-fields __complete \"$@\"\n"
	if err := os.WriteFile(filepath.Join(folder, "kubectl_complete-krm_fields"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs/apply.md"))
	if err != nil || !strings.Contains(string(page), script) {
		t.Errorf("docs/apply.md must have the script %q (%v)", script, err)
	}
	plugin := command{user: admin, env: []string{"PATH=" + folder + string(os.PathListSeparator) + os.Getenv("PATH")}}

	manifest := file(t, "settings.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plugin, namespace: default}\n")
	if got := plugin.succeed(t, "kubectl", "krm-fields", "plan", "--from-cluster", manifest); !strings.Contains(got, "ConfigMap default/plugin: create\n") {
		t.Errorf("kubectl krm-fields plan must say that the object is new, says\n%s", got)
	}
	if got := plugin.run(t, "kubectl", "krm-fields", "diff", manifest); got.code != 1 {
		t.Errorf("the exit code of kubectl krm-fields diff must be 1, is %d\n%s%s", got.code, got.out, got.err)
	}
	help := plugin.succeed(t, "kubectl", "krm-fields", "plan", "--help")
	if !strings.Contains(help, "\n  kubectl krm-fields plan [") || strings.Contains(help, "  krm-fields ") {
		t.Errorf("usage and examples must name the plugin:\n%s", help)
	}
	if got := plugin.run(t, "kubectl", "krm-fields", "plam"); got.code != 1 || !strings.Contains(got.err, `did you mean "kubectl krm-fields plan"?`) {
		t.Errorf("the hint must name the plugin: %s", got.err)
	}
	if got := plugin.succeed(t, "kubectl", "__complete", "krm-fields", "pl"); !strings.HasPrefix(got, "plan\t") {
		t.Errorf("kubectl must complete the commands of the plugin:\n%s", got)
	}
	if got := plugin.succeed(t, "kubectl", "__complete", "krm-fields", "diff", "--output", ""); !strings.HasPrefix(got, "text\njson\n") {
		t.Errorf("kubectl must complete the values of its flags:\n%s", got)
	}
}
