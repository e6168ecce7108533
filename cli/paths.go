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
without hidden ones and those that its .krmignore names) or "-" for stdin, which
is also read where there is no PATH. A file that is reached twice is read once.
One that is no YAML or JSON, or holds no KRM object, is an error, or with
--skip-invalid passed over.`

// addTo adds the flags to a command that has PATHs.
func (o *pathOptions) addTo(command *cobra.Command) {
	flags := command.Flags()
	flags.StringArrayVar(&o.exclude, "exclude", nil,
		"leave out what a `PATTERN` names, in the syntax of gitignore, from each PATH; may be given several times")
	flags.BoolVar(&o.skipInvalid, "skip-invalid", false, "pass over files that are no YAML or JSON, or hold no KRM object")
}

// read reads the manifests that paths lead to. The results say which files were passed over.
func (o pathOptions) read(paths []string, needObjects bool, stdin io.Reader) ([]*manifests.File, []report.Result, error) {
	return o.readWith(paths, manifests.Options{NeedObjects: needObjects}, stdin)
}

// readWith is read with further options.
func (o pathOptions) readWith(paths []string, options manifests.Options, stdin io.Reader) (
	[]*manifests.File, []report.Result, error,
) {
	options.Exclude, options.SkipInvalid = o.exclude, o.skipInvalid
	read, err := manifests.ReadPackage(paths, stdin, options)
	if pattern, ok := errors.AsType[*manifests.PatternError](err); ok {
		return nil, nil, fmt.Errorf("--exclude: %w", pattern)
	}
	if faults, ok := errors.AsType[manifests.Errors](err); ok && inFolders(faults, paths) {
		err = errors.Join(err, errors.New(
			"files that are no manifests are left out by --exclude PATTERN or a .krmignore, and passed over by --skip-invalid"))
	}
	return read.Files, passedOver(read.Skipped), err
}

// inFolders tells whether one of the files was found in a folder.
func inFolders(faults manifests.Errors, paths []string) bool {
	return slices.ContainsFunc(faults, func(e *manifests.Error) bool {
		return !slices.Contains(paths, e.Path) && e.Path != "stdin"
	})
}

// passedOver says how many files were passed over, and which.
func passedOver(skipped manifests.Errors) []report.Result {
	if len(skipped) == 0 {
		return nil
	}
	names := make([]string, len(skipped))
	for i, fault := range skipped {
		names[i] = fault.Path
	}
	message := "1 file is no manifest and was passed over: "
	if len(names) > 1 {
		message = fmt.Sprintf("%d files are no manifests and were passed over: ", len(names))
	}
	return []report.Result{{Message: message + strings.Join(names, ", "), Severity: report.SeverityInfo}}
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
		return nil, errors.New("there must be a PATH, or something on stdin, found neither; for the folder that you are in, type \".\"")
	}
	return []string{manifests.Stdin}, nil
}
