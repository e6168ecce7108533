package explain

import (
	"os"
	"path/filepath"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Results are what a Writer writes.
type Results struct {
	All []report.Result
	// About are the objects that results may be about, functionConfigs too.
	About []*object.Object
	// Root is the folder from which files are named; "" for none.
	Root string
	// Coloured is true for text on a terminal.
	Coloured bool
	// Program is the name that warnings in text begin with, where other programs write to the same
	// stream; "" for none.
	Program string
}

// Finding is a result and where it is.
type Finding struct {
	report.Result
	// File is "" where the result is about no file; Line is 0 if it is not known.
	File string
	Line int
}

// Findings returns the results with their places in the files that the objects were read from.
func (r Results) Findings() []Finding {
	at := make(map[report.File]*object.Object, len(r.About))
	inFile := map[string][]*object.Object{}
	for _, o := range r.About {
		file := o.File()
		at[file] = o
		inFile[file.Path] = append(inFile[file.Path], o)
	}
	findings := make([]Finding, len(r.All))
	for i, result := range r.All {
		findings[i] = Finding{Result: result, File: fromRoot(r.Root, result.File.Path)}
		o := at[result.File]
		if o == nil {
			o = named(result.Ref, inFile[result.File.Path])
		}
		if o != nil {
			findings[i].Line = lineOf(o, result.Field.Path)
		}
	}
	return findings
}

// named finds the object that a result is about which names a file and no place in it, as those
// about a functionConfig do.
func named(ref report.Ref, objects []*object.Object) *object.Object {
	o, _ := lists.Find(objects, func(o *object.Object) bool { return report.RefOf(o.Input()) == ref })
	return o
}

// lineOf is the line of a field, or of the nearest that is there, or that of the object.
func lineOf(o *object.Object, field string) int {
	l, err := location.ParseField(field)
	if err != nil { // no field, or one in a document that is in a string
		l = nil
	}
	root := o.Input()
	for ; len(l) > 0; l = l[:len(l)-1] {
		if line := o.LineOf(location.Begin(root, l)); line > 0 {
			return line
		}
	}
	return o.LineOf(root)
}

// fromRoot names a file as seen from a folder above it.
func fromRoot(root, path string) string {
	if root == "" || path == "" {
		return filepath.ToSlash(path)
	}
	absolute, _ := filepath.Abs(path) // an error leaves "", which no file has
	below, err := filepath.Rel(root, absolute)
	if _, statErr := os.Stat(absolute); err != nil || statErr != nil || !filepath.IsLocal(below) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(below)
}
