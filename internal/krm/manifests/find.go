package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// finder finds the files at paths, each once.
type finder struct {
	exclude []pattern
	// without are absolute paths without links.
	without []string
	files   []*File
	byFile  map[any]*File
	// unusable are the paths to neither a file nor a folder.
	unusable Errors
}

// find finds the files at a path: the file itself, or those in the folder.
func (f *finder) find(path string) {
	info, err := os.Stat(path)
	if err != nil {
		f.unusable = append(f.unusable, &Error{Path: path, Reason: reasonOf(err)})
		return
	}
	target := withoutLinks(path)
	if info.IsDir() {
		root := folder{path: path, root: target}
		f.folder(root, f.packageIgnore(root))
		return
	}
	if excluded(f.exclude, filepath.Base(path), false) {
		return
	}
	if reason := unreadable(path, info); reason != "" {
		f.unusable = append(f.unusable, &Error{Path: path, Reason: reason})
		return
	}
	name := filepath.Join(withoutLinks(filepath.Dir(path)), filepath.Base(path))
	f.add(File{Path: path, inPackage: path, target: target, info: info, isNamed: true}, name)
}

// withoutLinks returns the absolute path of a file, with links followed.
func withoutLinks(path string) string {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		target = path // the path of a shell's pipe does not exist as a link target
	}
	if absolute, err := filepath.Abs(target); err == nil {
		return absolute
	}
	return target
}

// folder is a folder at a path, or one in it.
type folder struct {
	// path is the path of the folder; relative is the slash-separated path from the given folder.
	path, relative string
	// root is the given folder, with links followed.
	root string
	// inChart is true for the templates of a Helm chart.
	inChart bool
}

// isTemplates tells whether a folder has the templates of a Helm chart.
func (d folder) isTemplates() bool {
	path := filepath.Join(d.root, filepath.FromSlash(d.relative))
	if filepath.Base(path) != "templates" {
		return false
	}
	_, err := os.Stat(filepath.Join(filepath.Dir(path), "Chart.yaml"))
	return err == nil
}

// folder finds the files in a folder, at any depth. Links to folders are not followed, as kpt does.
func (f *finder) folder(d folder, ignore krmIgnore) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		f.fault(d.path, reasonOf(err))
		return
	}
	inChart := d.inChart || d.isTemplates()
	for _, entry := range entries {
		inside := folder{path: filepath.Join(d.path, entry.Name()), relative: path.Join(d.relative, entry.Name()), root: d.root, inChart: inChart}
		inPackage := strings.TrimPrefix(strings.TrimPrefix(inside.relative, ignore.of.relative), "/")
		switch {
		case strings.HasPrefix(entry.Name(), ".") || excluded(f.exclude, inside.relative, entry.IsDir()):
		case f.without != nil && slices.Contains(f.without, filepath.Join(d.root, filepath.FromSlash(inside.relative))):
		case entry.IsDir() && inside.isPackage():
			f.folder(inside, f.packageIgnore(inside))
		case excluded(ignore.patterns, inPackage, entry.IsDir()):
		case entry.IsDir():
			f.folder(inside, ignore)
		case isManifest(entry.Name()):
			f.file(inside, entry)
		}
	}
}

// file finds a file in a folder: a regular one in that folder, or a link to one.
func (f *finder) file(at folder, entry fs.DirEntry) {
	isLink := entry.Type()&fs.ModeSymlink != 0
	name := filepath.Join(at.root, filepath.FromSlash(at.relative))
	target := name
	if isLink {
		var err error
		if target, err = filepath.EvalSymlinks(name); err != nil {
			f.fault(at.path, "must be a link to a file: "+reasonOf(err))
			return
		}
	}
	info, err := os.Stat(target)
	inRoot, _ := filepath.Rel(at.root, target) // both without links
	switch {
	case err != nil:
		f.fault(at.path, reasonOf(err))
		return
	case isLink && info.IsDir():
		return
	case isLink && !filepath.IsLocal(inRoot):
		f.fault(at.path, fmt.Sprintf("must be a file within %s, found a link to %s", at.root, target))
		return
	case !info.Mode().IsRegular():
		f.fault(at.path, "must be a regular file, found a "+typeName(info.Mode()))
		return
	}
	f.add(File{Path: at.path, inPackage: at.relative, target: target, info: info, inChart: at.inChart}, name)
}

// add adds a file unless another path has led to it. The name is that under which it was found,
// which differs from the file itself for a link.
func (f *finder) add(file File, name string) {
	key := fileKey(file.target, file.info)
	first, known := f.byFile[key]
	if !known {
		first = &file
		f.byFile[key] = first
		f.files = append(f.files, first)
	}
	first.isNamed = first.isNamed || file.isNamed
	if name != first.target && !slices.Contains(first.names, name) {
		first.names = append(first.names, name)
	}
}

// fault notes a file that can't be used.
func (f *finder) fault(path, reason string) {
	f.files = append(f.files, &File{Path: path, fault: &Error{Path: path, Reason: reason}})
}

// unreadable says why a named file can't be read; "" if it can, as pipes of a shell and the null
// device can.
func unreadable(path string, info fs.FileInfo) string {
	mode := info.Mode()
	if mode.IsRegular() || mode&fs.ModeNamedPipe != 0 && isOfShell(path) || IsNull(info) {
		return ""
	}
	return fmt.Sprintf("must be a regular file or a folder, found a %s; to read it, pipe it to stdin", typeName(mode))
}

// isOfShell tells whether a path names an open file of the process, as `<(…)` of a shell does.
func isOfShell(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// IsNull tells whether a file is the null device, which is a character device but no terminal.
func IsNull(info fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(null, info)
}

// typeName describes the type of a file that is not regular.
func typeName(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// errorOf returns an error as one of a file; nil for nil.
func errorOf(path string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Path: path, Reason: reasonOf(err)}
}

func reasonOf(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err.Error()
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err.Error()
	}
	return err.Error()
}

func isManifest(name string) bool {
	return !strings.HasPrefix(name, ".") && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name))
}
