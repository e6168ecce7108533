package kustomize

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// Without --enable-exec kustomize runs no function and says nothing. The test fails when that is no
// longer so, since the help and the pages say it. An overlay that changes an object behind the
// function is no reason for the check to fail.
func TestCheck(t *testing.T) {
	folder := harness.CopyPackage(t, shop, harness.Tree{
		"kustomization.yaml": resources + "transformers: [ignore.yaml]\n",
		"ignore.yaml":        transformer + "selectors:\n- kind: Deployment\nignoreFields:\n- jsonPointers: [/spec/replicas]\nonNoMatch: Error\n",
	})
	overlay := filepath.Join(filepath.Dir(folder), "overlay")
	harness.WriteTree(t, overlay, harness.Tree{"kustomization.yaml": "resources: [../shop]\nnamePrefix: eu-\n"})
	kustomize, err := filepath.Abs("../../bin/kustomize")
	if err != nil {
		t.Fatal(err)
	}
	check := func(args ...string) harness.Outcome {
		built := harness.Succeed(t, overlay, kustomize, append([]string{"build", "."}, args...)...)
		return harness.RunWith(t, folder, built.Stdout, "krm-fields", "run", "--config", "ignore.yaml", "--check")
	}
	got := check("--enable-alpha-plugins")
	if got.Code != 1 || !strings.HasPrefix(got.Stderr, "error: not applied: 1 field removed: spec.replicas ") || got.Stdout != "" {
		t.Errorf("without --enable-exec: got exit code %d, want 1 and the field that is still there\n%s%s", got.Code, got.Stderr, got.Stdout)
	}
	got = check("--enable-alpha-plugins", "--enable-exec")
	if got.Code != 0 || got.Stderr != "" || got.Stdout != "" {
		t.Errorf("with --enable-exec: got exit code %d, want 0 and no output\n%s%s", got.Code, got.Stderr, got.Stdout)
	}
}
