package manifests

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/parallel"
)

// Change is a file to be written or removed.
type Change struct {
	// Path is the file as messages name it.
	Path    string
	Removed bool
	// target is the file after links are followed.
	target string
	// text is the new text, and source the old one; Stage drops them unless Commit needs them.
	text, source []byte
	// info is of the file that is there; nil for a new one.
	info fs.FileInfo
	// isRead is true of a file that was read, whose old text has the sum.
	isRead bool
	sum    uint64
	// isOtherName is true of a removed link to the file.
	isOtherName bool
	// mode is what the file gets; 0 for the usual one.
	mode fs.FileMode
}

// WriteFile gives a file a text and a mode, 0 for the usual one, or leaves it as it was.
func WriteFile(path string, text []byte, mode fs.FileMode) error {
	change, err := NewChange(path, text)
	if err != nil {
		return err
	}
	change.mode = mode
	t := Begin()
	if err := t.Stage([]Change{change}); err != nil {
		return err
	}
	return t.Commit(func() error { return nil })
}

// NewChange returns the change that gives a file a text. The error is an *Error.
func NewChange(path string, text []byte) (Change, error) {
	c := Change{Path: path, target: withoutLinks(path), text: text}
	info, err := os.Stat(path)
	if err == nil {
		c.info = info
	} else if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(filepath.Dir(c.target)) // no folder is made for it
	}
	return c, errorOf(path, err)
}

// InterruptError is a signal that interrupted a Transaction.
type InterruptError struct {
	Signal os.Signal
	// IsBlocked is true if it came while something was printed, which no one may read any more.
	IsBlocked bool
}

func (e *InterruptError) Error() string {
	return fmt.Sprintf("ended by a signal (%s): no file has changed", e.Signal)
}

// Transaction makes changes, all or none.
type Transaction struct {
	signals chan os.Signal
	changes []Change
	// beside are the temporary files with the new texts, by change; "" for none.
	beside []string
	// done are the steps so far, to be undone from the last to the first.
	done []undoableStep
	// leftovers are the temporary files to remove at the end.
	leftovers map[string]bool
	// made are the created folders, inner ones behind outer ones.
	made []string
	// swept are the folders without temporary files of runs that were killed.
	swept map[string]bool
	// mutex guards done, leftovers and made while several files are changed at once.
	mutex sync.Mutex
}

// undoableStep is a step and how to undo it.
type undoableStep struct {
	undo func() error
	// backup is the file with the old text that undo needs, or "".
	backup string
}

// Begin begins to make changes. From then on, a signal ends the program only by the error of Stage
// or Commit; so one of Commit, Abort or a Stage that fails must follow.
func Begin() *Transaction {
	t := &Transaction{signals: make(chan os.Signal, 1), leftovers: map[string]bool{}, swept: map[string]bool{}}
	signal.Ignore(brokenPipe) // so that a write to stdout or stderr is an error, and ends nothing
	for _, s := range interrupts {
		if !signal.Ignored(s) {
			signal.Notify(t.signals, s)
		}
	}
	return t
}

// Stage writes the new texts to temporary files beside their files, and drops the texts. If that
// fails, everything is as it was.
func (t *Transaction) Stage(changes []Change) error {
	first := t.add(changes)
	if err := t.each(first, t.prepare); err != nil {
		return t.finish(err)
	}
	for i, c := range t.changes[first:] {
		t.changes[first+i].sum = maphash.Bytes(seed, c.source)
		if c.info == nil || !hasOtherNames(c.info) {
			t.changes[first+i].text, t.changes[first+i].source = nil, nil
		}
	}
	return nil
}

// add adds changes, and returns the index of the first.
func (t *Transaction) add(changes []Change) int {
	first := len(t.changes)
	t.changes = append(t.changes, changes...)
	t.beside = append(t.beside, make([]string, len(changes))...)
	return first
}

// Commit replaces all files by their new texts and then calls tell, which prints what was changed:
// what failed is not told as done. If one of them fails, or a file has changed since it was read,
// no file stays replaced.
func (t *Transaction) Commit(tell func() error) error {
	err := t.each(0, t.verify)
	if err == nil {
		err = t.each(0, t.replace)
	}
	if err == nil {
		err = t.wait(tell)
	}
	return t.finish(err)
}

var (
	errChanged  = errors.New("must be as it was read, and has changed since; no file is written: run it again")
	errAppeared = errors.New("must not exist, since it is to be a new file, and has appeared meanwhile; no file is written: run it again")
)

var seed = maphash.MakeSeed()

// verify looks whether the file of a change is still the one that was read, with its text: size
// and time may be the same after an edit.
func (t *Transaction) verify(_ int, c Change) error {
	stat := os.Lstat
	if c.isOtherName {
		stat = os.Stat
	}
	now, err := stat(c.target)
	switch {
	case c.info == nil && err == nil:
		return errAppeared
	case c.info == nil && errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return errChanged
	case err != nil:
		return err
	case !os.SameFile(now, c.info) || now.Mode().Type() != c.info.Mode().Type() || !c.isOtherName && withoutLinks(c.Path) != c.target:
		return errChanged
	case !c.isRead:
		return nil
	}
	text, err := os.ReadFile(c.target)
	if err == nil && maphash.Bytes(seed, text) != c.sum {
		err = errChanged
	}
	return err
}

// wait calls do, but does not wait longer for it than until a signal, since no one may read what it
// writes.
func (t *Transaction) wait(do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case s := <-t.signals:
		return &InterruptError{Signal: s, IsBlocked: true}
	}
}

// Abort leaves everything as it was.
func (t *Transaction) Abort() { _ = t.finish(errAborted) }

var errAborted = errors.New("aborted")

// Changes returns the changes, in the order in which they were staged.
func (t *Transaction) Changes() []Change { return t.changes }

// finish undoes the changes if there was an error, and removes temporary files; the old text of a
// file that can't be restored stays beside it. A signal that comes meanwhile is too late.
func (t *Transaction) finish(err error) error {
	defer signal.Stop(t.signals)
	failed := err != nil
	if !failed {
		t.done = nil // nothing is undone
	}
	for _, s := range slices.Backward(t.done) {
		if fault := s.undo(); fault != nil {
			delete(t.leftovers, s.backup)
			err = errors.Join(err, fmt.Errorf("what was written before can't be undone: %w", fault))
		}
	}
	leftovers := slices.Collect(maps.Keys(t.leftovers))
	_ = parallel.Each(len(leftovers), func(i int) error {
		_ = os.Remove(leftovers[i]) // it does not exist any more if it has been moved back
		return nil
	})
	if failed {
		for _, dir := range slices.Backward(t.made) {
			_ = os.Remove(dir) // only if it is empty
		}
	}
	return err
}

// writers is how many files are written at once. The system takes as long to make a file durable as
// to make many.
const writers = 16

// each does one thing for the changes from an index on, for several at a time, until one fails
// or a signal comes. Of several errors it returns that of the first change.
func (t *Transaction) each(first int, do func(i int, c Change) error) error {
	err := parallel.EachBy(writers, len(t.changes)-first, func(i int) error { return t.one(first+i, do) }, func() {})
	return cmp.Or(err, t.interrupted())
}

// interrupted returns the signal that has come since the last call, as an error.
func (t *Transaction) interrupted() error {
	select {
	case s := <-t.signals:
		return &InterruptError{Signal: s}
	default:
		return nil
	}
}

// one does one thing for a change, unless a signal has come.
func (t *Transaction) one(i int, do func(i int, c Change) error) error {
	if err := t.interrupted(); err != nil {
		return err
	}
	c := t.changes[i]
	return errorOf(c.Path, do(i, c))
}

// prepare writes the new text to a temporary file beside the file.
func (t *Transaction) prepare(i int, c Change) error {
	if c.info != nil && c.info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("must be writable, found the mode %#o", c.info.Mode().Perm())
	}
	dir, perm := filepath.Dir(c.target), fs.FileMode(0o600)
	if c.info == nil {
		perm = cmp.Or(c.mode, 0o666) // the system applied the umask
	}
	t.mutex.Lock()
	err := t.makeFolders(dir)
	t.mutex.Unlock()
	if err != nil {
		return err
	}
	file, err := create(dir, perm)
	if err != nil {
		return err
	}
	t.beside[i] = file.Name()
	t.mutex.Lock()
	t.leftovers[file.Name()] = true
	t.mutex.Unlock()
	err = fill(file, c)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}

// makeFolders creates a folder and its parents.
func (t *Transaction) makeFolders(dir string) error {
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

// Sweep removes what runs that were killed have left beside files: temporary files with the number
// of a process that is gone, or of this one, as in a container. A file that was moved away is kept:
// its old text is nowhere else.
func (t *Transaction) Sweep(files []*File) {
	for _, file := range files {
		dir := filepath.Dir(file.target)
		if t.swept[dir] {
			continue
		}
		t.swept[dir] = true
		left, _ := os.ReadDir(dir)
		for _, entry := range left {
			var process int
			if _, err := fmt.Sscanf(entry.Name(), ".krm-fields-%d-", &process); err == nil &&
				!strings.HasSuffix(entry.Name(), movedAway) && (process == os.Getpid() || !isAlive(process)) {
				_ = os.Remove(filepath.Join(dir, entry.Name()))
			}
		}
	}
}

// movedAway ends the name of a file that has no other name any more.
const movedAway = ".moved"

// create creates a file of a new name in a folder, which names the process.
func create(dir string, perm fs.FileMode) (*os.File, error) {
	for {
		path := filepath.Join(dir, fmt.Sprintf(".krm-fields-%d-%d", os.Getpid(), rand.Uint64()))
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
		if err := file.Chmod(cmp.Or(c.mode, c.info.Mode())); err != nil {
			return err
		}
	}
	return file.Sync()
}

// replace replaces the old text with the new.
func (t *Transaction) replace(i int, c Change) error {
	beside := t.beside[i]
	switch {
	case c.info == nil:
		if err := t.moveIn(beside, c.target); err != nil {
			return err
		}
		t.did(undoableStep{undo: func() error { return os.Remove(c.target) }})
		return nil
	case c.Removed:
		return t.moveAway(c.target, beside)
	case hasOtherNames(c.info):
		t.did(undoableStep{undo: func() error { return overwrite(c.target, c.info, c.source) }})
		return overwrite(c.target, c.info, c.text)
	}
	if err := t.backUp(c.target, beside+".old"); err != nil {
		return err
	}
	return t.moveIn(beside, c.target)
}

// did notes a step, whose backup is removed at the end.
func (t *Transaction) did(s undoableStep) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.done = append(t.done, s)
	if s.backup != "" {
		t.leftovers[s.backup] = true
	}
}

// moveIn gives a temporary file its name.
func (t *Transaction) moveIn(beside, target string) error {
	if err := os.Rename(beside, target); err != nil {
		return err
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	delete(t.leftovers, beside)
	return nil
}

// backUp gives a file another name, from which it can be restored.
func (t *Transaction) backUp(path, backup string) error {
	if err := os.Link(path, backup); err != nil {
		return t.moveAway(path, backup+movedAway) // not every file system has hard links
	}
	t.did(undoableStep{undo: func() error { return os.Rename(backup, path) }, backup: backup})
	return nil
}

// moveAway moves a file so that it can be restored.
func (t *Transaction) moveAway(path, backup string) error {
	if err := os.Rename(path, backup); err != nil {
		return err
	}
	t.did(undoableStep{undo: func() error { return os.Rename(backup, path) }, backup: backup})
	return nil
}

// overwrite writes a text into a file that has several hard links, which stay links to it.
func overwrite(path string, info fs.FileInfo, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	now, err := file.Stat()
	if err == nil && !os.SameFile(now, info) {
		err = errChanged
	}
	if err == nil {
		_, err = file.WriteAt(text, 0)
	}
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
