package kustomize

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// repoServer is what the component for Argo CD patches: of Argo CD's own Deployment, the parts that
// it names.
const repoServer = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: argocd-repo-server
spec:
  template:
    spec:
      containers:
      - name: argocd-repo-server
        image: quay.io/argoproj/argocd
        volumeMounts:
        - {name: var-files, mountPath: /var/run/argocd}
        - {name: plugins, mountPath: /home/argocd/cmp-server/plugins}
      volumes:
      - {name: var-files, emptyDir: {}}
      - {name: plugins, emptyDir: {}}
`

// The component adds the sidecar and its two volumes, and leaves the rest.
func TestArgoCDComponent(t *testing.T) {
	component := harness.CopyPackage(t, filepath.Join(harness.Root(), "plugins/argocd"), nil)
	folder := filepath.Join(filepath.Dir(component), "install")
	harness.WriteTree(t, folder, harness.Tree{
		"kustomization.yaml": "namespace: argocd\nresources: [repo-server.yaml]\ncomponents: [../argocd]\n",
		"repo-server.yaml":   repoServer,
	})
	outcome := build(t, folder)
	if outcome.Code != 0 {
		t.Fatalf("exit code: got %d, want 0\n%s", outcome.Code, outcome.Stderr)
	}
	for _, part := range []string{
		"- image: quay.io/argoproj/argocd\n", "- command:\n        - /var/run/argocd/argocd-cmp-server\n",
		"name: krm-fields-plugin-", "    kind: ConfigManagementPlugin\n",
	} {
		if !strings.Contains(outcome.Stdout, part) {
			t.Errorf("there must be %q in\n%s", part, outcome.Stdout)
		}
	}
	if volumes := strings.Count(outcome.Stdout, "emptyDir: {}"); volumes != 3 {
		t.Errorf("there must be 3 empty volumes, found %d in\n%s", volumes, outcome.Stdout)
	}
}
