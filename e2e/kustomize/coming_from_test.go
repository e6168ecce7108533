package kustomize

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const patcher = `apiVersion: fn.kpt.dev/v1alpha1
kind: ApplyPatches
metadata:
  name: patches
  annotations:
    config.kubernetes.io/function: |
      exec:
        path: krm-fields
`

// The page has the objects, pairs of blocks, and patches that kustomize has nothing like.
func TestComingFromKustomizePatches(t *testing.T) {
	page, err := os.ReadFile("../../docs/coming-from-kustomize-patches.md")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(page), "## Patches")
	pairs, rest, _ := strings.Cut(rest, "\n## Replacements")
	replacements, alone, ok := strings.Cut(rest, "## What kustomize can't express")
	objects := yamlBlocks(head)
	if !ok || len(objects) != 1 {
		t.Fatalf("the page must have its three parts, and the objects before them, found %d", len(objects))
	}
	testPairs(t, objects[0], pairs)
	intro, _, _ := strings.Cut(replacements, "\n### ")
	others := yamlBlocks(intro)
	if len(others) != 1 {
		t.Fatalf("the replacements must have their objects before them, found %d", len(others))
	}
	testPairs(t, others[0], replacements)
	for _, patches := range yamlBlocks(alone) {
		if patched(t, objects[0], patches) == buildWith(t, objects[0], "", "") {
			t.Errorf("the patches must do something:\n%s", patches)
		}
	}
}

// testPairs builds the objects with both blocks of each section.
func testPairs(t *testing.T, objects, sections string) {
	t.Helper()
	for _, section := range strings.Split(sections, "\n### ")[1:] {
		name, _, _ := strings.Cut(section, "\n")
		t.Run(name, func(t *testing.T) {
			both := yamlBlocks(section)
			if len(both) != 2 {
				t.Fatalf("the section must have two blocks of yaml, found %d", len(both))
			}
			theirs := buildWith(t, objects, both[0], "")
			if diff := cmp.Diff(theirs, patched(t, objects, both[1])); diff != "" {
				t.Errorf("both must do the same (-kustomize +krm-fields):\n%s", diff)
			}
			if theirs == buildWith(t, objects, "", "") {
				t.Error("both do nothing")
			}
		})
	}
}

// yamlBlocks returns the blocks of YAML in a part of a page.
func yamlBlocks(markdown string) []string {
	var blocks []string
	for _, part := range strings.Split(markdown, "```yaml\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	return blocks
}

// patched builds the objects with a part of an ApplyPatches as a transformer.
func patched(t *testing.T, objects, patches string) string {
	t.Helper()
	return buildWith(t, objects, "transformers: [patches.yaml]\n", patcher+patches)
}

func buildWith(t *testing.T, objects, kustomization, transformer string) string {
	t.Helper()
	folder := t.TempDir()
	harness.WriteTree(t, folder, harness.Tree{
		"kustomization.yaml": "resources: [objects.yaml]\n" + kustomization,
		"objects.yaml":       objects,
		"patches.yaml":       transformer,
	})
	outcome := build(t, folder)
	if outcome.Code != 0 {
		t.Fatalf("exit code: got %d, want 0\n%s", outcome.Code, outcome.Stderr)
	}
	return outcome.Stdout
}
