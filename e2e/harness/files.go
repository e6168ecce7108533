package harness

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/krm-fields/krm-fields/e2e/golden"
)

// A Tree is the files of a folder: slash-separated paths and contents.
type Tree map[string]string

// ReadTree reads a folder and all below it.
func ReadTree(t *testing.T, folder string) Tree {
	t.Helper()
	tree := Tree{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		tree[filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// WriteTree writes files into a folder, which it creates if it is missing.
func WriteTree(t *testing.T, folder string, tree Tree) {
	t.Helper()
	for name, content := range tree {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// CopyPackage copies a folder to a temporary one of the same name, adds or replaces files, and
// returns its path.
func CopyPackage(t *testing.T, folder string, files Tree) string {
	t.Helper()
	copied := filepath.Join(t.TempDir(), filepath.Base(folder))
	WriteTree(t, copied, ReadTree(t, folder))
	WriteTree(t, copied, files)
	return copied
}

// Unchanged fails the test if a folder no longer has exactly the files of before.
func Unchanged(t *testing.T, before Tree, folder string) {
	t.Helper()
	if diff := cmp.Diff(before, ReadTree(t, folder)); diff != "" {
		t.Errorf("no file of %s must change (-before +after):\n%s", filepath.Base(folder), diff)
	}
}

// ExpectTree compares the changes in a folder with an archive, or writes it in an update: the files
// that are new or differ from before, and in its comment a line "removed: name" for each removed
// one.
func ExpectTree(t *testing.T, archive string, before, got Tree) {
	t.Helper()
	changes := &txtar.Archive{}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, ok := got[name]; !ok {
			changes.Comment = fmt.Appendf(changes.Comment, "removed: %s\n", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if content, ok := before[name]; !ok || content != got[name] {
			if !strings.HasSuffix(got[name], "\n") {
				t.Errorf("%s must end in a line break to stand in an archive: %q", name, got[name])
			}
			changes.Files = append(changes.Files, txtar.File{Name: name, Data: []byte(got[name])})
		}
	}
	golden.ExpectFile(t, archive, string(txtar.Format(changes)))
}

// Expected returns the files whose changes ExpectTree compares.
func Expected(t *testing.T, archive string, before Tree) Tree {
	t.Helper()
	changes, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	expected := maps.Clone(before)
	for line := range strings.Lines(string(changes.Comment)) {
		delete(expected, strings.TrimSpace(strings.TrimPrefix(line, "removed: ")))
	}
	for _, f := range changes.Files {
		expected[f.Name] = string(f.Data)
	}
	return expected
}
