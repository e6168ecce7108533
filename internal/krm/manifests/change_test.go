package manifests

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// changed returns a change of a file in a folder.
func changed(t *testing.T, dir, name, text string) Change {
	t.Helper()
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Change{Path: path, target: path, text: []byte(text), source: source, info: info}
}

// fill a folder with files: kept, with another name, and to be removed.
func folderOfFiles(t *testing.T) (string, []Change) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old "+name), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(dir, "b"), filepath.Join(dir, "b2")); err != nil {
		t.Fatal(err)
	}
	removed := changed(t, dir, "c", "")
	removed.Removed = true
	created := filepath.Join(dir, "new", "deep", "d")
	return dir, []Change{
		changed(t, dir, "a", "new a"), changed(t, dir, "b", "new b, which is longer"), removed,
		{Path: created, target: created, text: []byte("new d")},
	}
}

// texts returns the files in a folder, by path, and their texts.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if entry.IsDir() {
			out[name] = "folder"
			return nil
		}
		text, err := os.ReadFile(path)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func checkTexts(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := texts(t, dir)
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s must not be there, found %q", name, got[name])
		}
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: got %q, want %q", name, got[name], text)
		}
	}
}

var oldTexts = map[string]string{"a": "old a", "b": "old b", "b2": "old b", "c": "old c"}

func TestCarryOut(t *testing.T) {
	dir, changes := folderOfFiles(t)
	if err := applyAll(changes); err != nil {
		t.Fatal(err)
	}
	checkTexts(t, dir, map[string]string{
		"a": "new a", "b": "new b, which is longer", "b2": "new b, which is longer", "new": "folder",
		"new/deep": "folder", "new/deep/d": "new d",
	})
	if mode := changed(t, dir, "a", "").info.Mode().Perm(); mode != 0o640 {
		t.Errorf("got the mode %#o, want 0640", mode)
	}
}

// TestTakeBack fails at each of the changes, once when it is prepared and once when it is put in
// its place.
func TestTakeBack(t *testing.T) {
	failed := errors.New("failed")
	for at := range 4 {
		for _, early := range []bool{true, false} {
			dir, changes := folderOfFiles(t)
			tx := Begin()
			failing := func(do func(int, Change) error) func(int, Change) error {
				return func(i int, c Change) error {
					if err := do(i, c); err != nil || i == at {
						return errors.Join(failed, err)
					}
					return nil
				}
			}
			prepare, replace := failing(tx.prepare), tx.replace
			if !early {
				prepare, replace = tx.prepare, failing(tx.replace)
			}
			err := tx.each(tx.add(changes), prepare)
			if err == nil {
				err = tx.each(0, replace)
			}
			if err = tx.finish(err); err == nil || err.Error() != changes[at].Path+": failed" {
				t.Errorf("%d: got %v, want failed", at, err)
			}
			checkTexts(t, dir, oldTexts)
		}
	}
}

// TestAbort leaves the files alone whose new texts are there already.
func TestAbort(t *testing.T) {
	dir, changes := folderOfFiles(t)
	tx := Begin()
	for _, c := range changes {
		if err := tx.Stage([]Change{c}); err != nil {
			t.Fatal(err)
		}
	}
	tx.Abort()
	checkTexts(t, dir, oldTexts)
}

// TestInterrupt gets a signal after each of the changes.
func TestInterrupt(t *testing.T) {
	for at := range 3 {
		dir, changes := folderOfFiles(t)
		tx := Begin()
		err := tx.each(tx.add(changes), tx.prepare)
		if err == nil {
			err = tx.each(0, func(i int, c Change) error {
				if i == at {
					tx.signals <- syscall.SIGTERM
				}
				return tx.replace(i, c)
			})
		}
		err = tx.finish(err)
		if interrupt, ok := errors.AsType[*InterruptError](err); !ok || interrupt.Signal != syscall.SIGTERM {
			t.Errorf("%d: got %v, want the signal", at, err)
		}
		checkTexts(t, dir, oldTexts)
	}
}

// TestBlockedOutput ends by a signal while no one reads what is printed, before a file is replaced.
func TestBlockedOutput(t *testing.T) {
	dir, changes := folderOfFiles(t)
	tx := Begin()
	if err := tx.Stage(changes); err != nil {
		t.Fatal(err)
	}
	err := tx.Commit(func() error {
		for name, text := range oldTexts {
			if now := texts(t, dir)[name]; now != text {
				t.Errorf("%s: got %q while the run tells of it, want %q", name, now, text)
			}
		}
		tx.signals <- syscall.SIGTERM
		select {}
	})
	if interrupt, ok := errors.AsType[*InterruptError](err); !ok || !interrupt.IsBlocked {
		t.Errorf("got %v, want the signal while the output is blocked", err)
	}
	checkTexts(t, dir, oldTexts)
}

// TestFullDisk can't write the second of the new texts, since its folder is none.
func TestFullDisk(t *testing.T) {
	dir, changes := folderOfFiles(t)
	changes = slices.Insert(changes, 1, Change{Path: "x", target: filepath.Join(dir, "c", "x"), text: []byte("x")})
	if err := applyAll(changes); err == nil || err.Error() != "x: not a directory" {
		t.Errorf("got %v, want not a directory", err)
	}
	checkTexts(t, dir, oldTexts)
}

// applyAll makes all changes or none: each new text is written to a temporary file before the first
// file is replaced, and if a later step fails, or a signal comes, all files are restored.
func applyAll(changes []Change) error {
	t := Begin()
	if err := t.Stage(changes); err != nil {
		return err
	}
	return t.Commit(func() error { return nil })
}
