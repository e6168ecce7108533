package image

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/e2e/harness"
)

// The expected files are those of the executable under the same host: the image does the same.

func TestKptEval(t *testing.T) {
	for name, args := range map[string][]string{
		"eval-arguments": {"jsonPointers=/spec/replicas", "kind=Deployment"},
		"eval-arguments-lines": {
			"jsonPaths=.spec.replicas\n.spec.serviceName", "group=apps", "excludeName=web", "objectHash=false",
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := harness.CopyPackage(t, shop, nil)
			command := []string{"fn", "eval", "--image", image, "--image-pull-policy", "never", "--"}
			harness.Succeed(t, folder, "kpt", append(command, args...)...)
			archive := filepath.Join("../testdata/kpt", name, "package.txtar")
			harness.ExpectTree(t, archive, harness.ReadTree(t, shop), harness.ReadTree(t, folder))
		})
	}
}

func TestKptRenderOfExamples(t *testing.T) {
	for _, example := range harness.Examples(t, "Kptfile") {
		t.Run(example.Name, func(t *testing.T) {
			kptfile := harness.ReadTree(t, example.Folder)["Kptfile"]
			containerised := strings.ReplaceAll(kptfile, "exec: krm-fields", "image: "+image)
			files := harness.Tree{"Kptfile": containerised}
			maps.Copy(files, example.Live(t))
			folder := harness.CopyPackage(t, example.Folder, files)
			before := harness.Rendered(t, folder)
			harness.Succeed(t, folder, "kpt", "fn", "render", "--image-pull-policy", "never")
			rendered := harness.Rendered(t, folder)
			before["Kptfile"], rendered["Kptfile"] = kptfile, kptfile
			harness.ExpectTree(t, example.Expected(), before, rendered)
		})
	}
}

func TestKustomizeContainerOfExamples(t *testing.T) {
	kustomize, err := filepath.Abs("../../bin/kustomize")
	if err != nil {
		t.Fatal(err)
	}
	for _, example := range harness.Examples(t, "kustomization.yaml") {
		t.Run(example.Name, func(t *testing.T) {
			folder := harness.CopyPackage(t, example.Folder, nil)
			harness.WriteTree(t, folder, containerised(harness.ReadTree(t, folder)))
			outcome := harness.Succeed(t, folder, kustomize, "build", "--enable-alpha-plugins", ".")
			golden.ExpectFile(t, filepath.Join("../testdata/examples", example.Name, "kustomize.yaml"), outcome.Stdout)
		})
	}
}

// containerised makes kustomize run the image instead of the executable.
func containerised(files harness.Tree) harness.Tree {
	changed := harness.Tree{}
	for name, content := range files {
		exec := "      exec:\n        path: krm-fields\n"
		if strings.Contains(content, exec) {
			changed[name] = strings.ReplaceAll(content, exec, "      container:\n        image: "+image+"\n")
		}
	}
	return changed
}
