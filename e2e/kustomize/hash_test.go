package kustomize

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const hashAnnotation = "open-cluster-management.io/object-hash"

// TestHashesAreTheSame compares the object hashes of the examples as kustomize renders them, as kpt
// does (its files are held to the expected ones by the tests of kpt) and as a run without a host
// does.
func TestHashesAreTheSame(t *testing.T) {
	compared := 0
	for _, example := range harness.Examples(t, "kustomization.yaml") {
		config := filepath.Join(example.Folder, "ignore-fields.yaml")
		if _, err := os.Stat(config); err != nil {
			continue // not a single IgnoreFields
		}
		kustomization, err := os.ReadFile(filepath.Join(example.Folder, "kustomization.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(kustomization), "transformers:") {
			continue // kustomize doesn't run the function: it needs live objects
		}
		t.Run(example.Name, func(t *testing.T) {
			byKustomize := hashes(t, build(t, example.Folder).Stdout)
			compared += len(byKustomize)
			var files []string
			for _, content := range harness.Expected(t, example.Expected(), harness.Rendered(t, example.Folder)) {
				files = append(files, content)
			}
			if diff := cmp.Diff(byKustomize, hashes(t, strings.Join(files, "\n---\n"))); diff != "" {
				t.Errorf("hashes (-kustomize +kpt):\n%s", diff)
			}
			byHand := harness.Succeed(t, example.Folder, "krm-fields", "run", "--config", "ignore-fields.yaml", ".")
			if diff := cmp.Diff(byKustomize, hashes(t, byHand.Stdout)); diff != "" {
				t.Errorf("hashes (-kustomize +by hand):\n%s", diff)
			}
		})
	}
	if compared < 5 {
		t.Errorf("the examples must have at least 5 objects with a hash, found %d", compared)
	}
}

// hashes returns the hashes in a stream of manifests by kind and name.
func hashes(t *testing.T, stream string) map[string]string {
	t.Helper()
	found := map[string]string{}
	decoder := yaml.NewDecoder(strings.NewReader(stream))
	for {
		var object struct {
			Kind     string
			Metadata struct {
				Name        string
				Annotations map[string]string
			}
		}
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		if hash, ok := object.Metadata.Annotations[hashAnnotation]; ok {
			found[object.Kind+"/"+object.Metadata.Name] = hash
		}
	}
}
