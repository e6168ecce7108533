package harness

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An Example is a package of examples/.
type Example struct {
	Name   string // of the example, the first folder below examples/
	Folder string // of the package
}

// Examples returns the packages of examples/ that have a file of this name ("Kptfile",
// "kustomization.yaml"): an example is a package itself, or has it in its folder "package".
func Examples(t *testing.T, file string) []Example {
	t.Helper()
	root := filepath.Join(Root(), "examples")
	var examples []Example
	for _, pattern := range []string{filepath.Join("*", file), filepath.Join("*", "package", file)} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			folder := filepath.Dir(path)
			name, _, _ := strings.Cut(strings.TrimPrefix(folder, root+string(filepath.Separator)), string(filepath.Separator))
			examples = append(examples, Example{Name: name, Folder: folder})
		}
	}
	if len(examples) == 0 {
		t.Fatalf("examples/ must have packages with a %s", file)
	}
	return examples
}

// Expected is the archive with what kpt changes in the package.
func (e Example) Expected() string {
	return filepath.Join(Root(), "e2e", "testdata", "examples", e.Name, "kpt.txtar")
}

// Live returns the state "update" of the cluster as a file of the package's folder live/, and
// nothing if the example has no live objects.
func (e Example) Live(t *testing.T) Tree {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(e.Folder), "live", "update.yaml"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return Tree{"live/update.yaml": string(text)}
}

// Rendered reads the files of an example that a host may change: all but README.md.
func Rendered(t *testing.T, folder string) Tree {
	t.Helper()
	tree := ReadTree(t, folder)
	delete(tree, "README.md")
	return tree
}
