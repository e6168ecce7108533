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
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// pathOptions are the flags for the files that PATHs lead to.
type pathOptions struct {
	exclude      []string
	skipInvalid  bool
	refusesRules bool // a PATH to a file of functionConfigs is an error
	// without are files that are not read in folders, and gone are PATHs that need not be there.
	without, gone []string
}

func (o *pathOptions) addTo(command *cobra.Command) {
	flags := command.Flags()
	flags.StringArrayVar(&o.exclude, "exclude", nil,
		"leave out the files that match a `PATTERN` in gitignore syntax, relative to each PATH; may be given several times")
	flags.BoolVar(&o.skipInvalid, "skip-invalid", false,
		"skip files that are not YAML or JSON, documents with a duplicate key, kinds without an apiVersion, and list items that are no objects")
	command.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return manifestExtensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

func (o pathOptions) find(paths []string, options manifests.Options) (*manifests.Found, error) {
	options.NeedObjects, options.Exclude, options.SkipInvalid, options.Without = true, o.exclude, o.skipInvalid, o.without
	paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return slices.Contains(o.gone, path) })
	found, err := manifests.Find(paths, options)
	if pattern, ok := errors.AsType[*manifests.PatternError](err); ok {
		return nil, fmt.Errorf("--exclude: %w", pattern)
	}
	return found, withAdvice(err, paths)
}

// read reads the manifests that paths lead to. The results say which files were passed over.
func (o pathOptions) read(paths []string, options manifests.Options, streams Streams) ([]*manifests.File, []report.Result, error) {
	m := streams.meter
	options.OnRead = func() { m.files.Add(1) }
	found, err := o.find(paths, options)
	if err != nil {
		return nil, nil, err
	}
	m.show(streams.Err, found.Count())
	read, err := found.Read(io.TeeReader(streams.In, m))
	m.objects.Store(int64(len(manifests.Objects(read.Files))))
	if err == nil && o.refusesRules {
		err = configIn(slices.DeleteFunc(slices.Clone(read.Files), func(f *manifests.File) bool {
			isManifest := func(o *object.Object) bool { return !isFunctionConfig(o) }
			return !slices.Contains(paths, f.Path) || slices.ContainsFunc(manifests.Objects([]*manifests.File{f}), isManifest)
		}))
	}
	return read.Files, append(unmatched(found), passedOver(read.Skipped)...), withAdvice(err, paths)
}

// unmatched warns of patterns of --exclude that match no file.
func unmatched(found *manifests.Found) []report.Result {
	return lists.Map(found.Unmatched, func(pattern string) report.Result {
		message := fmt.Sprintf("--exclude %q matches no file", pattern)
		if field, value, ok := strings.Cut(pattern, "="); ok {
			message += fmt.Sprintf("; it excludes files by their names; objects are excluded by --exclude-%s %s, "+
				"or by exclude: [{%[1]s: %[2]s}] of a functionConfig",
				strings.ToLower(field), value)
		}
		return report.New(report.SeverityWarning, report.ReasonNoMatch, message)
	})
}

// withAdvice adds to errors of files that were found in folders how to leave files out.
func withAdvice(err error, paths []string) error {
	isInFolder := func(e *manifests.Error) bool { return !slices.Contains(paths, e.Path) && e.Path != "stdin" }
	if faults, ok := errors.AsType[manifests.Errors](err); ok && slices.ContainsFunc(faults, isInFolder) {
		return errors.Join(err, errors.New(
			"--exclude PATTERN or a .krmignore leaves out files that are not manifests, --skip-invalid skips them"))
	}
	return err
}

const maxSkipped = 20

// passedOver says how many files, and parts of files, were passed over, and which.
func passedOver(skipped manifests.Errors) []report.Result {
	names := map[bool][]string{}
	for _, fault := range skipped {
		name := fault.Path
		if fault.IsPart {
			name = fmt.Sprintf("%s:%d", fault.Path, fault.Line)
		}
		names[fault.IsPart] = append(names[fault.IsPart], name)
	}
	var results []report.Result
	for _, of := range []struct {
		isPart       bool
		one, several string
	}{
		{false, "1 file is not a manifest and was skipped", "%d files are not manifests and were skipped"},
		{true, "1 document or item of a list is not a valid object and was skipped", "%d documents or items of lists are not valid objects and were skipped"},
	} {
		all := names[of.isPart]
		if len(all) == 0 {
			continue
		}
		message := of.one
		if len(all) > 1 {
			message = fmt.Sprintf(of.several, len(all))
		}
		results = append(results, report.New(report.SeverityInfo, report.ReasonSkipped, message+": "+words.Some(all, maxSkipped)))
	}
	return results
}

var errNoInput = errors.New("there must be a PATH, or something on stdin, found neither; for the current folder, type \".\"")

// orStdin returns the paths, or stdin where there are none and something may be read there.
func orStdin(paths []string, streams Streams, others ...string) ([]string, error) {
	if len(paths) == 0 {
		if !isReadable(streams.In) {
			return nil, errNoInput
		}
		paths = []string{manifests.Stdin}
	}
	return paths, stdinOnce(paths, others)
}

// isReadable tells whether something may be read from stdin.
func isReadable(stdin *os.File) bool {
	info, err := stdin.Stat()
	return !isTerminal(stdin) && (err != nil || !manifests.IsNull(info))
}

// stdinOnce checks that stdin, which can be read once, is named at most once.
func stdinOnce(inputs ...[]string) error {
	all := slices.Concat(inputs...)
	first := slices.Index(all, manifests.Stdin)
	if first >= 0 && slices.Contains(all[first+1:], manifests.Stdin) {
		return fmt.Errorf("%q, which is stdin, must be given at most once", manifests.Stdin)
	}
	return nil
}

// nameOfFile is how results name the file at a path.
func nameOfFile(path string) string {
	if path == manifests.Stdin {
		return "stdin"
	}
	return path
}
