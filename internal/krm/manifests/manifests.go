// Package manifests reads the objects of manifest files and writes them back, for runs without a
// host: files, folders and streams with one or more documents. A document that is no object (empty,
// or without apiVersion and kind) keeps its bytes and is skipped.
package manifests

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Stdin is the path that names the standard input.
const Stdin = "-"

// File is one file of manifests.
type File struct {
	// Path is the file as messages name it.
	Path string
	// inPackage is the path as a host names it: relative to the folder that was asked for.
	inPackage string
	// target is the file after links are followed; "" for stdin.
	target string
	info   fs.FileInfo
	// names are the other paths of the file: links and hard links.
	names     []string
	source    []byte
	documents []document
	// before is the position of the first document, and that behind the last once they are parsed.
	before position
	// fault is why the file can't be read.
	fault *Error
	// isNamed is true for a file that was given as a PATH.
	isNamed bool
	// inChart is true for a file among the templates of a Helm chart.
	inChart bool
	// noObjects are the items of lists that are no objects, what has a kind and no apiVersion, and
	// documents with a duplicate key.
	noObjects Errors
}

// Lines returns the lines of the file as it was read, without their line breaks.
func (f *File) Lines() []string {
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(f.source), "\r\n", "\n"), "\n"), "\n")
}

// Error is a file that can't be read. Line is 0 if it is not known.
type Error struct {
	Path   string
	Line   int
	Reason string
	// IsPart is true if it is about one document or item, and the file has others.
	IsPart bool
	// lacksVersion is true of a kind without an apiVersion.
	lacksVersion bool
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Reason)
	}
	return e.Path + ": " + e.Reason
}

// Errors are the errors of files that can't be read, at least one.
type Errors []*Error

func (e Errors) Error() string {
	return strings.Join(lists.Map(e, (*Error).Error), "\n")
}

// Unwrap returns the errors, each of which is printed on a line.
func (e Errors) Unwrap() []error {
	return lists.Map(e, func(one *Error) error { return one })
}

// Options say which files are read.
type Options struct {
	// Exclude are patterns in the syntax of gitignore, from each path, of the files to leave out.
	Exclude []string
	// Without are the files and folders to leave out where they are in a folder.
	Without []string
	// NeedObjects makes a file without objects an error. One in a folder in which nothing has a
	// kind is skipped, unless Strict.
	NeedObjects, Strict bool
	// IsLive is for live objects: a file that is named may be empty.
	IsLive bool
	// SkipInvalid skips the files and items that are errors.
	SkipInvalid bool
	// OnRead is called for each file that has been read, by several goroutines; nil for nothing.
	OnRead func()
	// IsObjectToo tells which documents without apiVersion and kind count as objects; nil for none.
	// In a file with one, kinds without an apiVersion are skipped.
	IsObjectToo func(root *tree.Node) bool
}

// Package is the files at paths.
type Package struct {
	Files []*File
	// Skipped are the files, and items of lists, that were skipped.
	Skipped Errors
	// Faults are those that are errors.
	Faults Errors
	// HasBroken is true if one of them was not skipped as a whole: parts of it came before.
	HasBroken bool
}

// Read reads files, folders (the files in them that end in .yaml, .yml or .json, at any depth,
// except hidden ones and those that .krmignore excludes) and, for the path "-", stdin. A file that
// several paths lead to is read once. The error is an Errors.
func Read(paths []string, stdin io.Reader) ([]*File, error) {
	read, err := ReadPackage(paths, stdin, Options{})
	return read.Files, err
}

// ReadPackage is Read with options. The error is an Errors or a *PatternError.
func ReadPackage(paths []string, stdin io.Reader, options Options) (Package, error) {
	found, err := Find(paths, options)
	if err != nil {
		return Package{}, err
	}
	return found.Read(stdin)
}

// Found are the files that paths lead to, which are not read yet.
type Found struct {
	files   []*File
	options Options
	// Unmatched are the patterns of Exclude that match neither a file nor a folder.
	Unmatched []string
}

// Has tells whether a file is among them.
func (f *Found) Has(info fs.FileInfo) bool {
	return slices.ContainsFunc(f.files, func(file *File) bool { return file.info != nil && os.SameFile(file.info, info) })
}

// Find finds the files at paths. The error is an Errors or a *PatternError.
func Find(paths []string, options Options) (*Found, error) {
	exclude, err := parsePatterns(options.Exclude)
	if err != nil {
		return nil, err
	}
	finder := finder{exclude: exclude, without: lists.Map(options.Without, withoutLinks), byFile: map[any]*File{}}
	for _, path := range paths {
		if path == Stdin {
			finder.files = append(finder.files, &File{Path: "stdin", inPackage: "stdin", isNamed: true})
			continue
		}
		finder.find(path)
	}
	if len(finder.unusable) > 0 {
		return nil, finder.unusable
	}
	found := &Found{files: finder.files, options: options}
	for _, p := range exclude {
		if !p.isUsed {
			found.Unmatched = append(found.Unmatched, p.text)
		}
	}
	return found, nil
}

// Read reads the files. The error is an Errors.
func (f *Found) Read(stdin io.Reader) (Package, error) {
	guard.Input(f.Size())
	_ = parallel.Each(len(f.files), func(i int) error { // each file records its own error
		f.files[i].read(stdin)
		if f.options.OnRead != nil {
			f.options.OnRead()
		}
		return nil
	})
	parse(f.files, f.options.IsObjectToo)
	var read Package
	for _, file := range f.files {
		read.add(file, f.options, file.holdsObjects(f.options))
	}
	if len(read.Faults) > 0 {
		return read, read.Faults
	}
	return read, nil
}

// add adds a file that was read.
func (p *Package) add(f *File, o Options, holds bool) {
	errs := f.noObjects
	switch {
	case f.fault != nil:
		errs = Errors{f.fault}
	case !o.NeedObjects || holds:
		p.Files = append(p.Files, f)
	case len(errs) == 0:
		errs = Errors{{Path: f.Path, Reason: "must hold a KRM object, which is a map with apiVersion and kind, found none"}}
		if !f.isNamed && !o.Strict {
			p.Skipped = append(p.Skipped, errs...)
			return
		}
	}
	isWanted := func(object *object.Object) bool { return o.IsObjectToo != nil && o.IsObjectToo(object.Root()) }
	for _, err := range errs {
		if o.SkipInvalid || err.lacksVersion && slices.ContainsFunc(Objects([]*File{f}), isWanted) {
			p.Skipped = append(p.Skipped, err)
		} else {
			p.Faults = append(p.Faults, err)
		}
	}
}

// Parse parses the text of a file; isObjectToo is that of Options. The error is an *Error.
func Parse(path string, text []byte, isObjectToo func(root *tree.Node) bool) (*File, error) {
	file := &File{Path: path, inPackage: path, source: text, documents: split(text)}
	parse([]*File{file}, isObjectToo)
	var read Package
	if read.add(file, Options{}, false); len(read.Faults) > 0 {
		return nil, read.Faults[0]
	}
	return file, nil
}

// ReadText reads the text of a file, with any content, or of stdin for the path "-". The error is
// an *Error.
func ReadText(path string, stdin io.Reader) ([]byte, error) {
	if path == Stdin {
		text, err := io.ReadAll(stdin)
		return text, errorOf("stdin", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, errorOf(path, err)
	}
	if reason := unreadable(path, info); reason != "" && !info.IsDir() {
		return nil, &Error{Path: path, Reason: reason}
	}
	text, err := os.ReadFile(path)
	return text, errorOf(path, err)
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
	if f.fault = f.chartFault(); f.fault == nil {
		f.documents = split(f.source)
	}
}

const helmFix = "a Helm template must be rendered first, by `helm template`"

// chartFault is the fault of a file of a Helm chart that has a template; nil for any other file.
func (f *File) chartFault() *Error {
	if !f.inChart {
		return nil
	}
	before, _, isTemplate := bytes.Cut(f.source, []byte("{{"))
	if !isTemplate {
		return nil
	}
	return &Error{Path: f.Path, Line: bytes.Count(before, []byte{'\n'}) + 1, Reason: "it has a template; " + helmFix}
}

// holdsObjects tells whether a document of the file has objects, or may lack them.
func (f *File) holdsObjects(o Options) bool {
	mayBeEmpty := f.target == "" || o.IsLive && f.isNamed
	return slices.ContainsFunc(f.documents, func(d document) bool {
		return len(d.items) > 0 || d.list != nil || mayBeEmpty && d.isEmpty()
	})
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
func FunctionConfigs(files []*File) []*tree.Node {
	var configs []*tree.Node
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
func parse(files []*File, isObjectToo func(root *tree.Node) bool) {
	var all []*document
	for _, file := range files {
		for i := range file.documents {
			all = append(all, &file.documents[i])
		}
	}
	_ = parallel.Each(len(all), func(i int) error { // each file records its own error
		all[i].fault = all[i].parse(isObjectToo)
		return nil
	})
	for _, file := range files {
		file.number()
	}
}

// number sets for each object its index in the file, and its first line. The first error of a
// document becomes that of the file, except a duplicate key, which spoils no other document.
func (f *File) number() {
	line, index, documents := f.before.line, f.before.index, f.before.documents
	for _, d := range f.documents {
		line += bytes.Count(d.marker, []byte{'\n'})
		if !d.isEmpty() {
			documents++
		}
		if d.fault != nil && d.fault.IsDuplicateKey {
			f.noObjects = append(f.noObjects, f.duplicateKey(d, line, documents))
		} else if d.fault != nil {
			f.fault = &Error{Path: f.Path, Line: line + max(d.fault.Line, 1), Reason: d.fault.Reason}
			switch {
			case bytes.Contains(d.text, []byte("{{")):
				f.fault.Reason += "; " + helmFix
			case bytes.Contains(d.text, []byte("#@")):
				f.fault.Reason += "; a template of ytt must be rendered first, by `ytt`"
			}
			return
		}
		if d.bare != "" {
			f.noObjects = append(f.noObjects, &Error{
				Path: f.Path, Line: line + d.bareLine, IsPart: true, lacksVersion: true,
				Reason: fmt.Sprintf("must have an apiVersion beside the kind %q, found none", d.bare),
			})
		}
		all, objects := d.items, d.items
		if d.list != nil {
			all = d.list.Items // also those that are no objects
		}
		for i, first := range d.firstLines() {
			item := all[i]
			if len(objects) > 0 && objects[0] == item {
				objects = objects[1:]
			} else {
				f.noObjects = append(f.noObjects, &Error{Path: f.Path, Line: line + first, IsPart: true, Reason: fmt.Sprintf(
					"items[%d] must be a map with apiVersion and kind, found %s", i, foundIn(item))})
			}
			item.SetFile(report.File{Path: f.Path, Index: index, HasIndex: true}, f.inPackage)
			item.FirstLine = line + first
			index++
		}
		line += bytes.Count(d.text, []byte{'\n'})
	}
	f.before = position{line: line, index: index, documents: documents, lead: setLeads(f.documents, f.before.lead)}
}

// duplicateKey names the document, of several, that has a duplicate key.
func (f *File) duplicateKey(d document, line, number int) *Error {
	err := &Error{Path: f.Path, Line: line + d.fault.Line, Reason: d.fault.Reason, IsPart: true}
	if number > 1 || len(f.documents) > 1 {
		err.Reason = fmt.Sprintf("document %d: %s", number, err.Reason)
	}
	return err
}

// foundIn describes an item that is no object.
func foundIn(item *object.Object) string {
	root := item.Root()
	switch {
	case !tree.IsMap(root):
		return tree.Type(root)
	case len(root.Content) == 0:
		return "{}"
	case object.IsName(tree.Get(root, "apiVersion")):
		return "no kind"
	}
	return "no apiVersion"
}

// position is a place between two documents of a file.
type position struct {
	line, index, documents int // how many lines, objects and documents with content are before it
	// lead are comments for the next object.
	lead []byte
}
