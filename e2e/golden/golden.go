// Package golden is for tests whose cases are files: one txtar archive a case, with inputs and with
// what comes out. The program itself must not import it.
//
// UPDATE_GOLDEN=1 in the environment writes what comes out into the files instead of comparing it;
// "make update" does that for all tests.
package golden

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// Update tells whether expected files are to be written instead of compared.
func Update() bool { return os.Getenv("UPDATE_GOLDEN") != "" }

// A Case is one archive. Its comment says what it is about, and may have lines "name: text" with
// settings.
type Case struct {
	Name    string // of the file, without the extension
	path    string
	archive *txtar.Archive
}

// Cases reads the archives of a pattern, of which there must be some.
func Cases(t testing.TB, pattern string) []*Case {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s must name files, found %d, %v", pattern, len(paths), err)
	}
	var cases []*Case
	for _, path := range paths {
		path, err := filepath.Abs(path) // a test may go to another folder
		if err != nil {
			t.Fatal(err)
		}
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		cases = append(cases, &Case{Name: name, path: path, archive: archive})
	}
	return cases
}

// Run runs a test for each archive of a pattern.
func Run(t *testing.T, pattern string, test func(t *testing.T, c *Case)) {
	t.Helper()
	for _, c := range Cases(t, pattern) {
		t.Run(c.Name, func(t *testing.T) { test(t, c) })
	}
}

// Comment is the text in front of the files.
func (c *Case) Comment() string { return string(c.archive.Comment) }

// Setting returns the text of a line "name: text" of the comment, "" where there is none.
func (c *Case) Setting(name string) string {
	for line := range strings.Lines(c.Comment()) {
		if text, found := strings.CutPrefix(line, name+": "); found {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// Files returns the files of the archive in their order.
func (c *Case) Files() []txtar.File { return slices.Clone(c.archive.Files) }

// File returns the content of a file, nil if there is none.
func (c *Case) File(name string) []byte {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// Expect compares what came out with the files that are no inputs. A test that goes through other
// files, such as one that has no such input any more, fails; in an update the files are written
// again.
func (c *Case) Expect(t *testing.T, inputs []string, got ...txtar.File) {
	t.Helper()
	kept := slices.DeleteFunc(c.Files(), func(f txtar.File) bool { return !slices.Contains(inputs, f.Name) })
	want, result := txtar.Format(c.archive), txtar.Format(&txtar.Archive{Comment: c.archive.Comment, Files: append(kept, got...)})
	switch {
	case bytes.Equal(want, result):
	case Update():
		if err := os.WriteFile(c.path, result, 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s (-want +got):\n%s", c.path, cmp.Diff(string(want), string(result)))
	}
}

// ExpectFile compares a text with a file, or writes it in an update.
func ExpectFile(t testing.TB, path, got string) {
	t.Helper()
	want, err := os.ReadFile(path)
	switch {
	case err == nil && string(want) == got:
	case Update():
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	case err != nil:
		t.Errorf("UPDATE_GOLDEN=1 writes this file: %v", err)
	default:
		t.Errorf("%s must be what comes out; UPDATE_GOLDEN=1 writes it (-want +got):\n%s", path, cmp.Diff(string(want), got))
	}
}
