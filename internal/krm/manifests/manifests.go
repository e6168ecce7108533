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
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Stdin is the path that names the standard input.
const Stdin = "-"

// File is one file of manifests.
type File struct {
	// Path is the file as messages name it.
	Path string
	// inPackage is the path as a host names it: relative to the folder that was asked for.
	inPackage string
	// target is the file itself, links followed; "" for stdin.
	target string
	info   fs.FileInfo
	// names are the other names of the file that led to it: links and hard links.
	names     []string
	source    []byte
	documents []document
	// fault is why the file can't be used.
	fault *Error
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

// Errors are the files that can't be read, one at least.
type Errors []*Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors, each of which is told on a line.
func (e Errors) Unwrap() []error {
	errs := make([]error, len(e))
	for i, one := range e {
		errs[i] = one
	}
	return errs
}

// Options say which files are read.
type Options struct {
	// Exclude are patterns in the syntax of gitignore, from each path, of the files to leave out.
	Exclude []string
	// NeedObjects makes a file that holds no object an error.
	NeedObjects bool
	// SkipInvalid passes over the files in the folders that can't be read, and those whose text is an error.
	SkipInvalid bool
	// IsObjectToo tells which documents count as objects, though they have no apiVersion and kind; nil for none.
	IsObjectToo func(root *yaml.Node) bool
}

// Package is what paths lead to.
type Package struct {
	Files []*File
	// Skipped are the files that were passed over.
	Skipped Errors
}

// Read reads files, folders (the files in them that end in .yaml, .yml or
// .json, at any depth, hidden ones left out, and those that .krmignore names)
// and, for the path "-", stdin. A file that several paths lead to is read once.
// The error is an Errors.
func Read(paths []string, stdin io.Reader) ([]*File, error) {
	read, err := ReadPackage(paths, stdin, Options{})
	return read.Files, err
}

// ReadPackage is Read with options. The error is an Errors or a *PatternError.
func ReadPackage(paths []string, stdin io.Reader, options Options) (Package, error) {
	exclude, err := parsePatterns(options.Exclude)
	if err != nil {
		return Package{}, err
	}
	finder := finder{exclude: exclude, byFile: map[any]*File{}}
	for _, path := range paths {
		if path == Stdin {
			finder.files = append(finder.files, &File{Path: "stdin", inPackage: "stdin"})
			continue
		}
		finder.find(path)
	}
	if len(finder.unusable) > 0 {
		return Package{}, finder.unusable
	}
	for _, file := range finder.files {
		file.read(stdin)
	}
	parse(finder.files, options.IsObjectToo)
	var read Package
	for _, file := range finder.files {
		if options.NeedObjects {
			file.checkObjects()
		}
		if file.fault != nil {
			read.Skipped = append(read.Skipped, file.fault)
			continue
		}
		read.Files = append(read.Files, file)
	}
	if len(read.Skipped) > 0 && !options.SkipInvalid {
		return Package{}, read.Skipped
	}
	return read, nil
}

// ReadText reads the text of a file, whatever it holds, or, for the path "-",
// of stdin. The error is an *Error.
func ReadText(path string, stdin io.Reader) ([]byte, error) {
	if path == Stdin {
		text, err := io.ReadAll(stdin)
		if err != nil {
			return nil, &Error{Path: "stdin", Reason: reasonOf(err)}
		}
		return text, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, &Error{Path: path, Reason: reasonOf(err)}
	}
	if reason := unreadable(path, info); reason != "" && !info.IsDir() {
		return nil, &Error{Path: path, Reason: reason}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &Error{Path: path, Reason: reasonOf(err)}
	}
	return text, nil
}

// read reads the text of a file that was found.
func (f *File) read(stdin io.Reader) {
	if f.fault != nil {
		return
	}
	var err error
	if f.target == "" {
		f.source, err = io.ReadAll(stdin)
	} else {
		f.source, err = os.ReadFile(f.Path)
	}
	if err != nil {
		f.fault = &Error{Path: f.Path, Reason: reasonOf(err)}
		return
	}
	f.documents = split(f.source)
}

// checkObjects makes it a fault that the file holds no object. On stdin, there may be nothing.
func (f *File) checkObjects() {
	holds := func(d document) bool { return len(d.items) > 0 || d.list != nil || f.target == "" && d.isEmpty() }
	if f.fault == nil && !slices.ContainsFunc(f.documents, holds) {
		f.fault = &Error{Path: f.Path, Reason: "must hold a KRM object, a map with apiVersion and kind, and holds none"}
	}
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

// parse finds the objects of the files.
func parse(files []*File, isObjectToo func(root *yaml.Node) bool) {
	var all []*document
	for _, file := range files {
		for i := range file.documents {
			all = append(all, &file.documents[i])
		}
	}
	_ = parallel.Each(len(all), func(i int) error { // each keeps its fault to itself
		all[i].fault = all[i].parse(isObjectToo)
		return nil
	})
	for _, file := range files {
		file.number()
	}
}

// number tells each object which it is in the file, and on which line it begins. The fault of the first document
// that has one becomes that of the file.
func (f *File) number() {
	line, index := 0, 0
	for _, d := range f.documents {
		line += bytes.Count(d.marker, []byte{'\n'})
		if d.fault != nil {
			f.fault = &Error{Path: f.Path, Line: line + max(d.fault.Line, 1), Reason: d.fault.Reason}
			return
		}
		for i, first := range d.firstLines() {
			item := d.items[i]
			item.SetFile(report.File{Path: f.Path, Index: index, HasIndex: true}, f.inPackage)
			item.SetFirstLine(line + first)
			index++
		}
		line += bytes.Count(d.text, []byte{'\n'})
	}
	setLeads(f.documents)
}
