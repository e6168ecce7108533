package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// resultOptions say how and where results are printed.
type resultOptions struct {
	// format is the name of an explain.Writer.
	format string
	quiet  bool
	// all prints each result as text, too, and not only the first of a kind and a sum.
	all bool
	// file gets the results, in the format that its name says; "" for none.
	file string
	// isPiped is true if the input comes from another program, which may write to stderr, too.
	isPiped bool
	// told are results that were on stderr already, for programs and files alone.
	told []report.Result
	// about are the objects that results may be about, functionConfigs too.
	about []*object.Object
}

// addTo adds the flag --output to a command whose stdout is for something else.
func (o *resultOptions) addTo(command *cobra.Command) {
	addFormat(command, &o.format, resultFormats, "`FORMAT` of the results on stderr: "+words.List(resultFormats))
}

func (o *resultOptions) addFile(command *cobra.Command) {
	extensions := lists.Map(explain.Writers, func(w explain.Writer) string { return w.Extension })
	extensions = slices.DeleteFunc(extensions, func(extension string) bool { return extension == "" })
	usage := "`FILE` to write the results to, in the format of its name: " + words.List(extensions)
	addFile(command, &o.file, "results", usage, lists.Map(extensions, func(extension string) string { return extension[1:] })...)
}

func (o resultOptions) report(results []report.Result, errOut io.Writer) error {
	whole := slices.Concat(o.told, report.Whole(results))
	if err := o.writeFile(whole, nil); err != nil {
		return err
	}
	if o.all || o.isForPrograms() {
		results = whole
	}
	if o.quiet {
		results = withoutInfos(results)
	}
	return o.print(results, errOut)
}

// conclude reports results, and ends the command if one of them is an error.
func (o resultOptions) conclude(results []report.Result, errOut io.Writer) error {
	if !fn.HasError(results) {
		return o.report(results, errOut)
	}
	return cmp.Or(o.report(withoutInfos(results), errOut), error(exitCode(1)))
}

func (o resultOptions) print(results []report.Result, out io.Writer) error {
	writer := explain.WriterOf(o.format)
	if !o.all && !o.isForPrograms() {
		results = report.Once(results)
	}
	return writer.Write(out, o.toWrite(results, hasColour(out)))
}

// toWrite returns what a writer gets; GitHub sees files from the root of the repository.
func (o resultOptions) toWrite(results []report.Result, coloured bool) explain.Results {
	to := explain.Results{All: results, About: o.about, Root: os.Getenv("GITHUB_WORKSPACE"), Coloured: coloured}
	if o.isPiped {
		to.Program = "krm-fields"
	}
	return to
}

func (o resultOptions) isForPrograms() bool { return o.format != "text" }

// reportError writes an error as a result, and prints it as one to programs.
func (o resultOptions) reportError(command *cobra.Command, err error, errOut io.Writer) error {
	if _, said := errors.AsType[exitCode](err); err == nil || said || !o.isForPrograms() && o.file == "" {
		return err
	}
	results := errorResults(err)
	if _, refused := errors.AsType[resultsError](err); !refused {
		_ = o.writeFile(results, nil) // the error itself is reported, and it may be that of this file
	}
	if !o.isForPrograms() {
		return err
	}
	if err := o.print(results, errOut); err != nil {
		return err
	}
	return exitCode(codeOf(command, err))
}

// errorResults are the errors that one consists of as results; none for nil.
func errorResults(err error) []report.Result {
	if err == nil {
		return nil
	}
	return lists.Map(leaves(err), func(leaf error) report.Result {
		return report.New(report.SeverityError, report.ReasonRunError, leaf.Error())
	})
}

// isVerbose tells whether to print lines of text beside the results.
func (o resultOptions) isVerbose() bool { return o.format == "text" && !o.quiet }

// resultsError is a file for the results that must not be written.
type resultsError struct{ error }

// checkFile refuses a file for the results that is a link, or that the run reads.
func (o resultOptions) checkFile(found *manifests.Found, others []string) error {
	info, err := os.Lstat(o.file)
	if err != nil || strings.HasPrefix(o.file, "/dev/") {
		return nil // which writing tells of
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return resultsError{fmt.Errorf("--results must not name a link, found %q", o.file)}
	}
	isFile := func(path string) bool {
		other, err := os.Stat(path)
		return err == nil && os.SameFile(info, other)
	}
	if found.Has(info) || slices.ContainsFunc(others, isFile) {
		return resultsError{fmt.Errorf("--results must not name a file that the run reads, found %q", o.file)}
	}
	return nil
}

// writeFile writes results into the file, if there is one, in the format that its name says: with
// the changes of a run in place, unless it can't be replaced, such as a device.
func (o resultOptions) writeFile(results []report.Result, changes *manifests.Transaction) error {
	if o.file == "" {
		return nil
	}
	var text bytes.Buffer
	if err := explain.WriterForFile(o.file).Write(&text, o.toWrite(results, false)); err != nil {
		return err
	}
	info, err := os.Stat(o.file)
	if err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return writePipe(o.file, text.Bytes(), readerWait)
	}
	if changes == nil || err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(o.file, text.Bytes(), 0o666)
	}
	change, err := manifests.NewChange(o.file, text.Bytes())
	if err != nil {
		return err
	}
	return changes.Stage([]manifests.Change{change})
}

// readerWait is how long a named pipe is waited for that nobody reads yet.
const readerWait = 5 * time.Second

// writePipe writes into a named pipe, which without a reader would block for ever.
func writePipe(path string, text []byte, wait time.Duration) error {
	for end := time.Now().Add(wait); ; time.Sleep(10 * time.Millisecond) {
		pipe, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		switch {
		case err == nil:
			_, err = pipe.Write(text)
			return cmp.Or(err, pipe.Close())
		case !errors.Is(err, syscall.ENXIO):
			return err
		case time.Now().After(end):
			return resultsError{fmt.Errorf("--results must name a pipe that something reads, found %q, which nothing has opened for %s", path, wait)}
		}
	}
}

var resultFormats = explain.WriterNames(func(explain.Writer) bool { return true })

// reviewFormats are those of explain, beside its own: with file and line.
var reviewFormats = explain.WriterNames(func(w explain.Writer) bool { return w.HasPlaces })

// printResults writes the results for a person to read, folded, and in colour on a terminal.
func printResults(out io.Writer, results []report.Result) {
	once := report.Once(folded(results))
	_ = explain.Writers[0].Write(out, explain.Results{All: once, Coloured: hasColour(out)}) // what can't be written to stderr can't be told
}

// folded sums up further results of a kind where no functionConfig says how many come one by one.
func folded(results []report.Result) []report.Result {
	return report.NewFold(config.DefaultLimit, report.Ref{}).All(report.Whole(results))
}

// withoutInfos leaves out what a failed run would have done, but not the times of --stats.
func withoutInfos(results []report.Result) []report.Result {
	return slices.DeleteFunc(slices.Clone(results), func(r report.Result) bool {
		return r.Severity == report.SeverityInfo && r.Tags["reason"] != report.ReasonExpressionCost
	})
}

// colours are the values of --color.
var colours = []string{"auto", "always", "never"}

// hasColour tells whether a stream shows colours, which NO_COLOR turns off (https://no-color.org),
// and --color on or off.
func hasColour(stream io.Writer) bool {
	if out, ok := stream.(*output); ok && *out.colour != "auto" {
		return *out.colour == "always"
	}
	return isTerminal(stream) && os.Getenv("NO_COLOR") == ""
}

// meter counts how far a run is, by objects in memory, bytes of stdin or files.
type meter struct {
	objects, bytes, files atomic.Int64
	allFiles              int
	end                   atomic.Pointer[func()]
}

func (m *meter) String() string {
	if n := m.objects.Load(); n > 0 {
		return words.Count(int(n), "object")
	}
	switch n := m.bytes.Load(); {
	case n >= 1_000_000:
		return fmt.Sprintf("%d MB of stdin", n/1_000_000)
	case n > 0:
		return fmt.Sprintf("%d kB of stdin", n/1000+1)
	}
	return fmt.Sprintf("%d of %d files", m.files.Load(), m.allFiles)
}

// Write counts the bytes that are read from stdin.
func (m *meter) Write(text []byte) (int, error) {
	m.bytes.Add(int64(len(text)))
	return len(text), nil
}

// show prints on a terminal, each second, how far a command over so many files is, until stop is
// called.
func (m *meter) show(errOut io.Writer, files int) {
	m.allFiles = files
	if !isTerminal(errOut) {
		return
	}
	out := stream(errOut).(io.Writer) // to write to errOut calls stop
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for seconds := 1; ; seconds++ {
			select {
			case <-done:
				if seconds > 1 {
					fmt.Fprint(out, "\r\x1b[K")
				}
				return
			case <-ticker.C:
				fmt.Fprintf(out, "\r%s, %d s\x1b[K", m, seconds)
			}
		}
	}()
	end := func() {
		close(done)
		<-ended
	}
	m.end.Store(&end)
}

// stop ends what show prints. It is called before something else is written.
func (m *meter) stop() {
	if end := m.end.Swap(nil); end != nil {
		(*end)()
	}
}
