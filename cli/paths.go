package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
)

// pathOptions are the flags for the files that PATHs lead to.
type pathOptions struct {
	exclude     []string
	skipInvalid bool
}

// pathHelp is what the help of a command says about its PATHs.
const pathHelp = `A PATH is a file, a folder (all .yaml, .yml and .json files in it, at any depth,
without hidden ones and those that its .krmignore names) or "-" for stdin. Without
a PATH, stdin is read. A file that several PATHs reach is read once. A file in a
folder in which nothing has a kind is skipped. A file that is not YAML or JSON, and
a kind without an apiVersion, is an error; --skip-invalid skips it.`

// addTo adds the flags to a command that has PATHs.
func (o *pathOptions) addTo(command *cobra.Command) {
	flags := command.Flags()
	flags.StringArrayVar(&o.exclude, "exclude", nil,
		"leave out the files that match a `PATTERN` in gitignore syntax, relative to each PATH; may be given several times")
	flags.BoolVar(&o.skipInvalid, "skip-invalid", false, "skip files that are not YAML or JSON, or hold no KRM object, and items of lists that are none")
}

// read reads the manifests that paths lead to. The results say which files were passed over.
func (o pathOptions) read(paths []string, needObjects bool, stdin io.Reader) ([]*manifests.File, []report.Result, error) {
	return o.readWith(paths, manifests.Options{NeedObjects: needObjects}, stdin)
}

// readWith is read with further options.
func (o pathOptions) readWith(paths []string, options manifests.Options, stdin io.Reader) (
	[]*manifests.File, []report.Result, error,
) {
	found, err := o.find(paths, options)
	if err != nil {
		return nil, nil, err
	}
	return readFound(found, paths, stdin)
}

// find finds the files that paths lead to.
func (o pathOptions) find(paths []string, options manifests.Options) (*manifests.Found, error) {
	options.Exclude, options.SkipInvalid = o.exclude, o.skipInvalid
	found, err := manifests.Find(paths, options)
	if pattern, ok := errors.AsType[*manifests.PatternError](err); ok {
		return nil, fmt.Errorf("--exclude: %w", pattern)
	}
	return found, withAdvice(err, paths)
}

// readFound reads the files that paths lead to. The results say which files were passed over.
func readFound(found *manifests.Found, paths []string, stdin io.Reader) ([]*manifests.File, []report.Result, error) {
	read, err := found.Read(stdin)
	return read.Files, passedOver(read.Skipped), withAdvice(err, paths)
}

// withAdvice adds to errors of files in folders how to leave files out.
func withAdvice(err error, paths []string) error {
	if faults, ok := errors.AsType[manifests.Errors](err); ok && inFolders(faults, paths) {
		return errors.Join(err, errors.New(
			"--exclude PATTERN or a .krmignore leaves out files that are not manifests, --skip-invalid skips them"))
	}
	return err
}

// inFolders tells whether one of the files was found in a folder.
func inFolders(faults manifests.Errors, paths []string) bool {
	return slices.ContainsFunc(faults, func(e *manifests.Error) bool {
		return !slices.Contains(paths, e.Path) && e.Path != "stdin"
	})
}

// passedOver says how many files, and parts of files, were passed over, and which.
func passedOver(skipped manifests.Errors) []report.Result {
	var files, parts []string
	for _, fault := range skipped {
		if fault.IsPart {
			parts = append(parts, fmt.Sprintf("%s:%d", fault.Path, fault.Line))
		} else {
			files = append(files, fault.Path)
		}
	}
	return slices.Concat(
		passedOverOf(files, "1 file is not a manifest and was skipped", "%d files are not manifests and were skipped"),
		passedOverOf(parts, "1 map without apiVersion or kind was skipped", "%d maps without apiVersion or kind were skipped"),
	)
}

// maxSkipped is how many files that were skipped are named.
const maxSkipped = 20

func passedOverOf(names []string, one, several string) []report.Result {
	if len(names) == 0 {
		return nil
	}
	message, more := one, ""
	if len(names) > 1 {
		message = fmt.Sprintf(several, len(names))
	}
	if count := len(names) - maxSkipped; count > 0 {
		names, more = names[:maxSkipped], fmt.Sprintf(", and %d more", count)
	}
	return []report.Result{{Message: message + ": " + strings.Join(names, ", ") + more, Severity: report.SeverityInfo}}
}

// isNull tells whether a stream is the null device, as where a program is started without a stdin.
func isNull(stream *os.File) bool {
	info, err := stream.Stat()
	return err == nil && manifests.IsNull(info)
}

// orStdin returns the paths, or stdin where there are none and something may be read there.
func orStdin(paths []string, streams Streams) ([]string, error) {
	if len(paths) > 0 {
		return paths, stdinOnce(paths)
	}
	if isTerminal(streams.In) || isNull(streams.In) {
		return nil, errors.New("there must be a PATH, or something on stdin, found neither; for the current folder, type \".\"")
	}
	return []string{manifests.Stdin}, nil
}
