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
	"os"
	"os/exec"
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

// Find finds the repository that a file or folder is in. The error is an *Error.
func Find(path string) (*Repository, error) {
	folder, err := filepath.EvalSymlinks(path)
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		folder = filepath.Dir(folder)
	}
	top, err := (&Repository{folder}).run("rev-parse", nil, "--show-toplevel")
	if err != nil {
		return nil, err
	}
	root, err := filepath.EvalSymlinks(strings.TrimSuffix(string(top), "\n"))
	return &Repository{root}, err
}

// Inside returns the path of a file or folder as the repository has it, with slashes; false if it
// is outside. The file need not exist.
func (r *Repository) Inside(path string) (string, bool) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(absolute)); err == nil {
		absolute = filepath.Join(folder, filepath.Base(absolute))
	}
	inside, err := filepath.Rel(r.root, absolute)
	return filepath.ToSlash(inside), err == nil && filepath.IsLocal(inside)
}

// Commit returns the commit of a revision. The error is an *Error if there is none.
func (r *Repository) Commit(revision string) (string, error) {
	text, err := r.run("rev-parse", nil, "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	return strings.TrimSpace(string(text)), err
}

// Read writes the files of a commit at paths, as Inside returns them, into a folder: with the paths
// that they have in the repository, and links as links. Left out are submodules, a path that the
// commit does not have, and what is not wanted.
func (r *Repository) Read(commit string, paths []string, folder string, isWanted func(path string) bool) error {
	if slices.Contains(paths, ".") {
		paths = nil // all of them
	}
	listing, err := r.run("ls-tree", nil, append([]string{"-r", "-z", "--full-tree", commit, "--"}, paths...)...)
	if err != nil {
		return err
	}
	into, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer into.Close()
	var names, links []string
	var ids bytes.Buffer
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(listing), "\x00"), "\x00") {
		about, name, _ := strings.Cut(entry, "\t") // MODE blob ID
		parts := strings.Fields(about)
		if len(parts) != 3 || parts[1] != "blob" || !isWanted(name) {
			continue
		}
		names, links = append(names, name), append(links, parts[0])
		ids.WriteString(parts[2] + "\n")
	}
	blobs, err := r.run("cat-file", ids.Bytes(), "--batch")
	if err != nil {
		return err
	}
	stream := bufio.NewReader(bytes.NewReader(blobs))
	for i, name := range names {
		text, err := nextBlob(stream)
		if err != nil {
			return err
		}
		if err := write(into, filepath.FromSlash(name), text, links[i] == "120000"); err != nil {
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
