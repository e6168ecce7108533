// Package git reads files of a revision of a Git repository, by the git on the PATH. It checks
// nothing out, and runs no filter or hook of the repository.
package git

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Repository is a repository with a working tree.
type Repository struct {
	// root is the folder of the working tree, with links followed.
	root string
}

// Error is a failed call of git.
type Error struct {
	// Command is that of git, and Stderr what it said.
	Command, Stderr string
	// Cause is the error of the call: an *exec.ExitError if git ran.
	Cause error
}

func (e *Error) Error() string {
	return fmt.Sprintf("git %s: %s", e.Command, cmp.Or(strings.TrimSpace(e.Stderr), e.Cause.Error()))
}

func (e *Error) Unwrap() error { return e.Cause }

// LinkError is a path that is, in a commit, a link out of the repository.
type LinkError struct{ Path string }

func (e *LinkError) Error() string { return e.Path + " is a link that leads out of the repository" }

// SubmoduleError is a submodule whose files are not at hand.
type SubmoduleError struct {
	Path  string
	Cause error
}

func (e *SubmoduleError) Error() string {
	return fmt.Sprintf("%s is a submodule, and its commit is not here; type git submodule update --init", e.Path)
}

func (e *SubmoduleError) Unwrap() error { return e.Cause }

// Find finds the repository that a file or folder is in, which need not exist: a link that it is
// itself, or else what this leads to. The error is an *Error.
func Find(path string) (*Repository, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	top, err := (&Repository{folderOf(absolute, os.Lstat)}).run("rev-parse", nil, "--show-toplevel")
	if err != nil {
		top, err = (&Repository{folderOf(absolute, os.Stat)}).run("rev-parse", nil, "--show-toplevel")
	}
	if err != nil {
		return nil, err
	}
	root, err := filepath.EvalSymlinks(strings.TrimSuffix(string(top), "\n"))
	return &Repository{root}, err
}

// folderOf is the folder at a path, or the nearest one above it.
func folderOf(path string, stat func(string) (fs.FileInfo, error)) string {
	info, err := stat(path)
	if err == nil && info.IsDir() || path == filepath.Dir(path) {
		return path
	}
	return folderOf(filepath.Dir(path), stat)
}

// Inside returns the path of a file or folder as the repository has it, with slashes; false if it
// is outside. The file need not exist, and links in the repository are not followed.
func (r *Repository) Inside(path string) (string, bool) {
	absolute, err := filepath.Abs(path)
	for folder := absolute; err == nil; folder = filepath.Dir(folder) {
		if real, notThere := filepath.EvalSymlinks(folder); notThere == nil && real == r.root {
			inside, err := filepath.Rel(folder, absolute)
			return filepath.ToSlash(inside), err == nil
		}
		if folder == filepath.Dir(folder) {
			break
		}
	}
	if real, notThere := filepath.EvalSymlinks(absolute); notThere == nil { // through a link from outside into a folder of it
		absolute = real
	}
	inside, err := filepath.Rel(r.root, absolute)
	return filepath.ToSlash(inside), err == nil && filepath.IsLocal(inside)
}

// Commit returns the commit of a revision. The error is an *Error if there is none.
func (r *Repository) Commit(revision string) (string, error) {
	text, err := r.run("rev-parse", nil, "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	return strings.TrimSpace(string(text)), err
}

// Has tells whether a revision has a path, as Inside returns it.
func (r *Repository) Has(revision, path string) bool {
	_, kind, err := r.find(revision, path)
	return err == nil && kind != ""
}

// find returns the object at a path of a revision, with links followed, and its kind: "blob",
// "tree" or, if it has none, "".
func (r *Repository) find(revision, path string) (id, kind string, err error) {
	if path == "." {
		path = ""
	}
	answer, err := r.run("cat-file", []byte(revision+":"+path+"\n"), "--batch-check", "--follow-symlinks")
	parts := strings.Fields(string(answer))
	switch {
	case err != nil || len(parts) < 2:
		return "", "", err
	case parts[0] == "symlink":
		return "", "", &LinkError{path}
	case len(parts) == 3 && (parts[1] == "blob" || parts[1] == "tree"):
		return parts[0], parts[1], nil
	}
	return "", "", nil
}

// blob is a file of a commit: the path that it gets, and the object with its text.
type blob struct {
	path, id string
	isLink   bool
}

// Read writes the files of a commit at paths, as Inside returns them, into a folder, under these
// paths: a path that is a link has what this leads to, and links below it stay links. Left out are
// a path that the commit does not have, and files in folders that are not wanted. The error may be
// a *LinkError or a *SubmoduleError.
func (r *Repository) Read(commit string, paths []string, folder string, isWanted func(path string) bool) error {
	var files []blob
	for _, path := range paths {
		id, kind, err := r.find(commit, path)
		if err != nil {
			return err
		}
		switch kind {
		case "blob":
			files = append(files, blob{path: path, id: id})
		case "tree":
			inside, err := r.list(id, path, folder, isWanted)
			if err != nil {
				return err
			}
			files = append(files, inside...)
		}
	}
	into, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer into.Close()
	return r.write(into, files, paths)
}

// list lists the files of a folder of a commit, and writes those of its submodules.
func (r *Repository) list(id, at, folder string, isWanted func(path string) bool) (files []blob, err error) {
	listing, err := r.run("ls-tree", nil, "-r", "-z", id)
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(listing), "\x00"), "\x00") {
		about, name, _ := strings.Cut(entry, "\t") // MODE KIND ID
		parts := strings.Fields(about)
		if len(parts) != 3 {
			continue
		}
		name = path.Join(at, name)
		switch {
		case parts[1] == "commit":
			if err := r.readSubmodule(parts[2], name, folder, isWanted); err != nil {
				return nil, &SubmoduleError{name, err}
			}
		case isWanted(name):
			files = append(files, blob{name, parts[2], parts[0] == "120000"})
		}
	}
	return files, nil
}

// readSubmodule writes the files of a submodule, which is checked out.
func (r *Repository) readSubmodule(commit, name, folder string, isWanted func(path string) bool) error {
	module := &Repository{filepath.Join(r.root, filepath.FromSlash(name))}
	into := filepath.Join(folder, filepath.FromSlash(name))
	id, err := module.Commit(commit)
	if err == nil {
		err = os.MkdirAll(into, 0o700)
	}
	if err != nil {
		return err
	}
	return module.Read(id, []string{"."}, into, isWanted)
}

// write writes files. A link to which a path of its own leads is what it leads to.
func (r *Repository) write(into *os.Root, files []blob, paths []string) error {
	known := map[string]bool{}
	files = slices.DeleteFunc(files, func(f blob) bool {
		isOther := known[f.path] || f.isLink && slices.Contains(paths, f.path)
		known[f.path] = known[f.path] || !isOther
		return isOther
	})
	var ids bytes.Buffer
	for _, f := range files {
		ids.WriteString(f.id + "\n")
	}
	blobs, err := r.run("cat-file", ids.Bytes(), "--batch")
	if err != nil {
		return err
	}
	stream := bufio.NewReader(bytes.NewReader(blobs))
	for _, f := range files {
		text, err := nextBlob(stream)
		if err != nil {
			return err
		}
		if err := write(into, filepath.FromSlash(f.path), text, f.isLink); err != nil {
			return err
		}
	}
	return nil
}

// nextBlob reads one answer of git cat-file --batch: ID, type and size on a line, the content, and
// a line break.
func nextBlob(stream *bufio.Reader) ([]byte, error) {
	header, err := stream.ReadString('\n')
	if err != nil {
		return nil, err
	}
	parts := strings.Fields(header)
	size, err := strconv.Atoi(parts[len(parts)-1])
	if err != nil {
		return nil, &Error{Command: "cat-file", Stderr: "a file is missing in the repository: " + header, Cause: err}
	}
	text := make([]byte, size+1)
	_, err = io.ReadFull(stream, text)
	return text[:size], err
}

// write writes a file inside a folder, which no path and no link leads out of.
func write(into *os.Root, name string, text []byte, isLink bool) error {
	if err := into.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	if isLink {
		return into.Symlink(string(text), name)
	}
	return into.WriteFile(name, text, 0o600)
}

func (r *Repository) run(command string, stdin []byte, args ...string) ([]byte, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, &Error{Command: command, Cause: errors.New("git must be on the PATH, since it alone reads the repository")}
	}
	var stdout, stderr bytes.Buffer
	run := exec.Command(path, append([]string{"-C", r.root, "--literal-pathspecs", command}, args...)...)
	run.Stdin, run.Stdout, run.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	if err := run.Run(); err != nil {
		return nil, &Error{Command: command, Stderr: stderr.String(), Cause: err}
	}
	return stdout.Bytes(), nil
}
