// Package manifests reads the objects of manifest files and writes them back:
// files, folders and streams, several documents a file, for runs without a
// host. What is no object (a document without apiVersion and kind, an empty
// one) keeps its bytes and is passed over.
package manifests

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
)

// Stdin is the path that names the standard input.
const Stdin = "-"

// File is one file of manifests.
type File struct {
	Path      string
	mode      fs.FileMode
	source    []byte
	documents []document
}

// Lines returns the lines of the file as it was read, without their line breaks.
func (f *File) Lines() []string {
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(f.source), "\r\n", "\n"), "\n"), "\n")
}

// Error is a file that can't be read. Line is 0 where it is not known.
type Error struct {
	Path   string
	Line   int
	Reason string
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Reason)
	}
	return e.Path + ": " + e.Reason
}

// Read reads files, folders (the files in them that end in .yaml, .yml or
// .json, at any depth, hidden ones left out) and, for the path "-", stdin. The
// error is an *Error.
func Read(paths []string, stdin io.Reader) ([]*File, error) {
	var files []*File
	for _, path := range paths {
		if path == Stdin {
			text, err := ReadText(path, stdin)
			if err != nil {
				return nil, err
			}
			file, err := parse("stdin", "stdin", text, 0)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
			continue
		}
		found, err := readPath(path)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

// ReadText reads the text of a file, whatever it holds, or, for the path "-",
// of stdin. The error is an *Error.
func ReadText(path string, stdin io.Reader) ([]byte, error) {
	if path == Stdin {
		text, err := io.ReadAll(stdin)
		if err != nil {
			return nil, &Error{Path: "stdin", Reason: err.Error()}
		}
		return text, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &Error{Path: path, Reason: reasonOf(err)}
	}
	return text, nil
}

func readPath(root string) ([]*File, error) {
	var files []*File
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return &Error{Path: path, Reason: reasonOf(err)}
		case path != root && strings.HasPrefix(entry.Name(), ".") && entry.IsDir():
			return fs.SkipDir
		case entry.IsDir() || path != root && !isManifest(entry.Name()):
			return nil
		}
		file, err := readFile(path, inPackage(root, path))
		if err != nil {
			return err
		}
		files = append(files, file)
		return nil
	})
	return files, err
}

func reasonOf(err error) string {
	if pathError, ok := err.(*fs.PathError); ok {
		return pathError.Err.Error()
	}
	return err.Error()
}

func isManifest(name string) bool {
	return !strings.HasPrefix(name, ".") && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name))
}

// inPackage is the path as a host names it: relative to the folder that was
// asked for; that of a file that was asked for stays.
func inPackage(root, path string) string {
	relative, err := filepath.Rel(root, path)
	if err != nil || relative == "." {
		return path
	}
	return filepath.ToSlash(relative)
}

func readFile(path, inPackage string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &Error{Path: path, Reason: reasonOf(err)}
	}
	text, err := ReadText(path, nil)
	if err != nil {
		return nil, err
	}
	return parse(path, inPackage, text, info.Mode().Perm())
}

// Objects returns the objects of the files in order.
func Objects(files []*File) []*object.Object {
	var objects []*object.Object
	for _, file := range files {
		for _, d := range file.documents {
			objects = append(objects, d.items...)
		}
	}
	return objects
}

// FunctionConfigs returns the functionConfigs of the ResourceLists in the files.
func FunctionConfigs(files []*File) []*yaml.Node {
	var configs []*yaml.Node
	for _, file := range files {
		for _, d := range file.documents {
			if d.list != nil && d.list.FunctionConfig != nil {
				configs = append(configs, d.list.FunctionConfig)
			}
		}
	}
	return configs
}

func parse(path, inPackage string, text []byte, mode fs.FileMode) (*File, error) {
	file := &File{Path: path, mode: mode, source: text}
	line, index := 0, 0
	for _, d := range split(text) {
		line += bytes.Count(d.marker, []byte{'\n'})
		if err := d.parse(); err != nil {
			return nil, &Error{Path: path, Line: line + max(err.Line, 1), Reason: err.Reason}
		}
		for i, first := range d.firstLines() {
			item := d.items[i]
			item.SetFile(report.File{Path: path, Index: index, HasIndex: true}, inPackage)
			item.SetFirstLine(line + first)
			index++
		}
		line += bytes.Count(d.text, []byte{'\n'})
		file.documents = append(file.documents, d)
	}
	return file, nil
}
