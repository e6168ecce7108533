package harness

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the expected files anew")

// A Tree is a folder's files: slash-separated paths and contents.
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

// WriteTree writes files into a folder, which it makes where it is missing.
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

// CopyPackage copies a folder to a temporary one of the same name, adds or replaces files, and returns its path.
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

// ExpectTree compares files with those of an expected folder, which -update writes.
func ExpectTree(t *testing.T, expected string, got Tree) {
	t.Helper()
	if *update {
		if err := os.RemoveAll(expected); err != nil {
			t.Fatal(err)
		}
		WriteTree(t, expected, got)
	}
	if diff := cmp.Diff(ReadTree(t, expected), got); diff != "" {
		t.Errorf("files differ from %s (-want +got):\n%s", expected, diff)
	}
}

// ExpectFile compares a text with an expected file, which -update writes.
func ExpectFile(t *testing.T, expected, got string) {
	t.Helper()
	if *update {
		WriteTree(t, filepath.Dir(expected), Tree{filepath.Base(expected): got})
	}
	want, err := os.ReadFile(expected)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("text differs from %s (-want +got):\n%s", expected, diff)
	}
}
