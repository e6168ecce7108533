package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
)

// Change is a file to be written or removed.
type Change struct {
	// Path is the file as messages name it.
	Path    string
	Removed bool
	// target is the file after links are followed.
	target string
	// text is the new text, and source the old one.
	text, source []byte
	// info is of the file that is there; nil for a new one.
	info fs.FileInfo
}

// InterruptError is a signal that interrupted Update.
type InterruptError struct {
	Signal os.Signal
}

func (e *InterruptError) Error() string {
	return fmt.Sprintf("ended by a signal (%s): no file has changed", e.Signal)
}

// transaction makes changes, all or none.
type transaction struct {
	signals chan os.Signal
	// beside are the temporary files with the new texts, by change; "" for none.
	beside []string
	// done are the steps so far, to be undone from the last to the first.
	done []step
	// leftovers are the temporary files to remove at the end.
	leftovers map[string]bool
	// made are the created folders, inner ones behind outer ones.
	made []string
}

// step is a step and how to undo it.
type step struct {
	undo func() error
	// backup is the file with the old text that undo needs, or "".
	backup string
}

// applyAll makes all changes or none: each new text is written to a temporary file before the first
// file is replaced, and if a later step fails, or a signal comes, all files are restored.
func applyAll(changes []Change) error {
	t := newTransaction(len(changes))
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(t.signals, s)
		}
	}
	defer signal.Stop(t.signals)
	err := t.each(changes, t.prepare)
	if err == nil {
		err = t.each(changes, t.replace)
	}
	return t.finish(err)
}

func newTransaction(changes int) *transaction {
	return &transaction{signals: make(chan os.Signal, 1), beside: make([]string, changes), leftovers: map[string]bool{}}
}

// finish undoes the changes if there was an error, and removes temporary files.
func (t *transaction) finish(err error) error {
	failed := err != nil
	if failed {
		err = t.rollBack(err)
	}
	for path := range t.leftovers {
		_ = os.Remove(path) // it does not exist any more if it has replaced a file
	}
	if failed {
		for _, dir := range slices.Backward(t.made) {
			_ = os.Remove(dir) // only if it is empty
		}
	}
	return err
}

// each does one thing for all changes, until one fails or a signal comes.
func (t *transaction) each(changes []Change, do func(i int, c Change) error) error {
	for i, c := range changes {
		select {
		case s := <-t.signals:
			return &InterruptError{Signal: s}
		default:
		}
		if err := do(i, c); err != nil {
			return &Error{Path: c.Path, Reason: reasonOf(err)}
		}
	}
	return nil
}

// rollBack undoes the changes. The old text of a file that can't be restored stays beside it.
func (t *transaction) rollBack(cause error) error {
	for _, s := range slices.Backward(t.done) {
		if err := s.undo(); err != nil {
			delete(t.leftovers, s.backup)
			cause = errors.Join(cause, fmt.Errorf("what was written before can't be taken back: %w", err))
		}
	}
	return cause
}

// prepare writes the new text to a temporary file beside the file.
func (t *transaction) prepare(i int, c Change) error {
	if c.info != nil && c.info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("must be writable, found the mode %#o", c.info.Mode().Perm())
	}
	dir, perm := filepath.Dir(c.target), fs.FileMode(0o600)
	if c.info == nil {
		perm = 0o666 // the system applied the umask
	}
	if err := t.makeFolders(dir); err != nil {
		return err
	}
	file, err := create(dir, perm)
	if err != nil {
		return err
	}
	t.beside[i] = file.Name()
	t.leftovers[file.Name()] = true
	err = fill(file, c)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}

// makeFolders creates a folder and its parents.
func (t *transaction) makeFolders(dir string) error {
	if exists(dir) {
		return nil
	}
	if err := t.makeFolders(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	t.made = append(t.made, dir)
	return nil
}

// create creates a file of a new name in a folder.
func create(dir string, perm fs.FileMode) (*os.File, error) {
	for {
		path := filepath.Join(dir, fmt.Sprintf(".krm-fields-%d", rand.Uint64()))
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// fill writes the text of a change, with the mode and the owner of the file that it replaces.
func fill(file *os.File, c Change) error {
	if _, err := file.Write(c.text); err != nil {
		return err
	}
	if c.info != nil {
		keepOwner(file, c.info)
		if err := file.Chmod(c.info.Mode()); err != nil {
			return err
		}
	}
	return file.Sync()
}

// replace replaces the old text with the new.
func (t *transaction) replace(i int, c Change) error {
	beside := t.beside[i]
	switch {
	case c.info == nil:
		if err := os.Rename(beside, c.target); err != nil {
			return err
		}
		t.done = append(t.done, step{undo: func() error { return os.Remove(c.target) }})
		return nil
	case c.Removed:
		return t.moveAway(c.target, beside)
	case hasOtherNames(c.info):
		t.done = append(t.done, step{undo: func() error { return overwrite(c.target, c.source) }})
		return overwrite(c.target, c.text)
	}
	if err := t.backUp(c.target, beside+".old"); err != nil {
		return err
	}
	return os.Rename(beside, c.target)
}

// backUp gives a file another name, from which it can be restored.
func (t *transaction) backUp(path, backup string) error {
	if err := os.Link(path, backup); err != nil {
		return t.moveAway(path, backup) // not every file system has hard links
	}
	t.leftovers[backup] = true
	t.done = append(t.done, step{undo: func() error { return os.Rename(backup, path) }, backup: backup})
	return nil
}

// moveAway moves a file so that it can be restored.
func (t *transaction) moveAway(path, backup string) error {
	if err := os.Rename(path, backup); err != nil {
		return err
	}
	t.leftovers[backup] = true
	t.done = append(t.done, step{undo: func() error { return os.Rename(backup, path) }, backup: backup})
	return nil
}

// overwrite writes a text into a file that has several hard links, which stay links to it.
func overwrite(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(text, 0)
	if err == nil {
		err = file.Truncate(int64(len(text)))
	}
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}
