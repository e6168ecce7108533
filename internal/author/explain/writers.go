package explain

import (
	"io"
	"path/filepath"

	"github.com/krm-fields/krm-fields/internal/lists"
)

// Writer writes results in a format.
type Writer struct {
	Name string
	// Extension is that of the files in the format; "" for none.
	Extension string
	Doc       string
	// HasPlaces is true if the results come with file and line, for a review.
	HasPlaces bool
	Write     func(out io.Writer, results Results) error
}

// Writers is the table of formats; the first is the default. A new one is a variable of its own,
// and its line here.
var Writers = []Writer{text, asJSON, github, sarif, junit, krm}

// withPlaces returns a Write that gets the results with their places.
func withPlaces(write func(out io.Writer, findings []Finding) error) func(io.Writer, Results) error {
	return func(out io.Writer, results Results) error { return write(out, results.Findings()) }
}

// WriterOf returns the writer of a format.
func WriterOf(name string) Writer {
	writer, _ := lists.Find(Writers, func(w Writer) bool { return w.Name == name })
	return writer
}

// WriterForFile returns the writer for a file, by its name.
func WriterForFile(name string) Writer {
	extension := filepath.Ext(name)
	if writer, ok := lists.Find(Writers, func(w Writer) bool { return w.Extension == extension && extension != "" }); ok {
		return writer
	}
	return krm
}

// WriterNames returns the names of the formats that a filter takes.
func WriterNames(takes func(w Writer) bool) []string {
	return lists.Map(keep(Writers, takes), func(w Writer) string { return w.Name })
}
