package manifests

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
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

// TestBlockedOutput ends by a signal while no one reads what is printed: all files are put back.
func TestBlockedOutput(t *testing.T) {
	dir, changes := folderOfFiles(t)
	tx := Begin()
	if err := tx.Stage(changes); err != nil {
		t.Fatal(err)
	}
	err := tx.Commit(func() error {
		if maps.Equal(oldTexts, texts(t, dir)) {
			t.Error("the files must be replaced before the run tells of it")
		}
		tx.signals <- syscall.SIGTERM
		select {}
	})
	if interrupt, ok := errors.AsType[*InterruptError](err); !ok || !interrupt.IsBlocked {
		t.Errorf("got %v, want the signal while the output is blocked", err)
	}
	checkTexts(t, dir, oldTexts)
}

// TestTellsAfter fails to replace a file, and must not tell of what it would have done.
func TestTellsAfter(t *testing.T) {
	dir, changes := folderOfFiles(t)
	tx := Begin()
	if err := tx.Stage(changes); err != nil {
		t.Fatal(err)
	}
	tx.beside[0] += "\x00"
	err := tx.Commit(func() error {
		t.Error("nothing must be told")
		return nil
	})
	if err == nil || err.Error() != changes[0].Path+": invalid argument" {
		t.Errorf("got %v, want invalid argument", err)
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

// TestChangedMeanwhile holds that a file which something else has changed since it was read is not
// written, and none of the others is.
func TestChangedMeanwhile(t *testing.T) {
	for name, edit := range map[string]func(path string) error{
		"longer": func(path string) error { return os.WriteFile(path, []byte("my edit of it"), 0o640) },
		"of the same length and time": func(path string) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(path, []byte("my edi"[:5]), 0o640), os.Chtimes(path, info.ModTime(), info.ModTime()))
		},
		"removed": os.Remove,
		"another file": func(path string) error {
			return errors.Join(os.WriteFile(path+".tmp", []byte("old a"), 0o640), os.Rename(path+".tmp", path))
		},
		"a link out of the folder": func(path string) error {
			victim := filepath.Join(filepath.Dir(filepath.Dir(path)), "victim")
			return errors.Join(os.WriteFile(victim, []byte("precious"), 0o640), os.Remove(path), os.Symlink(victim, path))
		},
	} {
		for _, file := range []string{"a", "b", "c"} { // b has another name, and c is to be removed
			dir, changes := folderOfFiles(t)
			for i := range changes[:3] {
				changes[i].isRead = true
				old := time.Now().Add(-time.Hour)
				if err := os.Chtimes(changes[i].target, old, old); err != nil {
					t.Fatal(err)
				}
				info, err := os.Stat(changes[i].target)
				if err != nil {
					t.Fatal(err)
				}
				changes[i].info = info
			}
			transaction := Begin()
			if err := transaction.Stage(changes); err != nil {
				t.Fatal(err)
			}
			if err := edit(filepath.Join(dir, file)); err != nil {
				t.Fatal(err)
			}
			want := texts(t, dir)
			for path := range want {
				if filepath.Base(path)[0] == '.' || strings.HasPrefix(path, "new") {
					delete(want, path) // temporary
				}
			}
			err := transaction.Commit(func() error {
				t.Errorf("%s %s: told as changed", file, name)
				return nil
			})
			if failed, ok := errors.AsType[*Error](err); !ok || failed.Path != filepath.Join(dir, file) || failed.Reason != errChanged.Error() {
				t.Errorf("%s %s: got the error %v, want one of the file that it has changed", file, name, err)
			}
			if got := texts(t, dir); !maps.Equal(got, want) {
				t.Errorf("%s %s: got the files %q, want %q", file, name, got, want)
			}
			if victim, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "victim")); err == nil && string(victim) != "precious" {
				t.Errorf("%s %s: the file out of the folder is %q", file, name, victim)
			}
		}
	}
}

// TestTouched holds that a file with another time and the text that was read is written.
func TestTouched(t *testing.T) {
	dir, changes := folderOfFiles(t)
	changes[0].isRead = true
	transaction := Begin()
	if err := transaction.Stage(changes); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "a"), time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := transaction.Commit(func() error { return nil }); err != nil || texts(t, dir)["a"] != "new a" {
		t.Errorf("got the error %v and the text %q, want the new text", err, texts(t, dir)["a"])
	}
}

// TestAppeared holds that a new file is not written over one that has appeared meanwhile.
func TestAppeared(t *testing.T) {
	dir, changes := folderOfFiles(t)
	transaction := Begin()
	if err := transaction.Stage(changes); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "new", "deep", "d")
	if err := os.WriteFile(path, []byte("mine"), 0o640); err != nil {
		t.Fatal(err)
	}
	err := transaction.Commit(func() error { return nil })
	if failed, ok := errors.AsType[*Error](err); !ok || failed.Reason != errAppeared.Error() || texts(t, dir)["new/deep/d"] != "mine" {
		t.Errorf("got the error %v and the text %q, want that it has appeared", err, texts(t, dir)["new/deep/d"])
	}
}
