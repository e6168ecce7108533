package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

var newestSection = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`)

// TestVersions checks that the files and pages that install a release name the newest one in the
// CHANGELOG.
func TestVersions(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(harness.Root(), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	section := newestSection.FindStringSubmatch(read("CHANGELOG.md"))
	if section == nil {
		t.Fatal("CHANGELOG.md must have the section of a version")
	}
	version := section[1]
	for _, test := range []struct{ name, want string }{
		{"action.yml", "\n    default: v" + version + "\n"},
		{"plugins/helm/plugin.yaml", "\nversion: " + version + "\n"},
		{"plugins/porch/functionconfig.yaml", "podExecutor:\n    tags: [v" + version + "]\n"},
		{"plugins/porch/functionconfig.yaml", "binaryExecutor:\n    tags: [v" + version + "]\n"},
		{"plugins/argocd/repo-server.yaml", "image: ghcr.io/krm-fields/krm-fields:v" + version + "\n"},
		{"playground/engine/export.go", `"ghcr.io/krm-fields/krm-fields:v` + version + `"`},
		{"docs/start/ci.md", " krm-fields/krm-fields@v" + version + "\n"},
		{"docs/start/ci.md", "\n  rev: v" + version + "\n"},
		{"docs/start/helm.md", "helm-plugins/krm-fields:" + version + "`"},
		{"plugins/helm/README.md", "helm-plugins/krm-fields:" + version + "\n"},
		{"docs/start/install.md", "/krm-fields_" + version + "_linux_amd64.deb`"},
		{"docs/start/install.md", "krm-fields_" + version + "_linux_amd64.rpm`"},
		{"docs/start/install.md", "`ghcr.io/krm-fields/krm-fields:v" + version + "`"},
		{"docs/start/install.md", "@v" + version + "`"},
	} {
		if !strings.Contains(read(test.name), test.want) {
			t.Errorf("%s must have %q, the newest version of CHANGELOG.md", test.name, test.want)
		}
	}
}
