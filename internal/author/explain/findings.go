package explain

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
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
	type name struct {
		path string
		ref  report.Ref
	}
	at, named := make(map[report.File]*object.Object, len(r.About)), make(map[name]*object.Object, len(r.About))
	for _, o := range slices.Backward(r.About) { // of several, the first
		file := o.File()
		at[file], named[name{file.Path, o.Ref()}] = o, o
	}
	findings, about := make([]Finding, len(r.All)), map[*object.Object][]int{}
	for i, result := range r.All {
		findings[i] = Finding{Result: result, File: fromRoot(r.Root, result.File.Path)}
		// A result about a functionConfig names the file, and no place in it.
		if o := cmp.Or(at[result.File], named[name{result.File.Path, result.Ref}]); o != nil {
			about[o] = append(about[o], i)
		}
	}
	for o, numbers := range about {
		reader := location.NewReader(o.Input()) // which may parse the object
		for _, i := range numbers {
			findings[i].Line = lineOf(o, reader, findings[i].Field.Path)
		}
	}
	return findings
}

// lineOf is the line of a field, or of the nearest that is there, or that of the object.
func lineOf(o *object.Object, reader *location.Reader, field string) int {
	l, err := location.ParseField(field)
	if err != nil { // no field, or one in a document that is in a string
		l = nil
	}
	for ; len(l) > 0; l = l[:len(l)-1] {
		if line := o.LineOf(reader.Begin(l)); line > 0 {
			return line
		}
	}
	return o.LineOf(reader.Begin(nil))
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
