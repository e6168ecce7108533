// Package cli is the command line: the KRM function where there is no subcommand, and the
// subcommands for runs without a host.
package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/parallel"
)

// Streams are the standard streams of the process.
type Streams struct {
	In  *os.File
	Out io.Writer
	Err io.Writer
	// Exit ends the process where an expression is past a limit and can't be stopped; nil in a
	// process that must go on.
	Exit func(code int)
	// mask has the Secrets that the command has seen.
	mask *redact.Mask
	// colour is the value of --color.
	colour *string
	// meter shows how far the command is, until something is written.
	meter *meter
}

// Main runs the command line and returns the exit code.
func Main(args []string, build Build, streams Streams) (code int) {
	running := &cobra.Command{}
	defer func() {
		if value := recover(); value != nil {
			fmt.Fprintln(streams.Err, errorResults(parallel.Recovered(value))[0].Line())
			code = codeOf(running, nil)
		}
	}()
	streams.meter, streams.mask, streams.colour = &meter{}, &redact.Mask{}, new(colours[0])
	out := &output{to: streams.Out, meter: streams.meter, colour: streams.colour}
	streams.Out, streams.Err = out, &output{to: streams.Err, meter: streams.meter, colour: streams.colour}
	root := newRoot(build, streams)
	root.SetArgs(externalDiff(args))
	stop, hasBegun := func() {}, false
	root.PersistentPreRun = func(command *cobra.Command, _ []string) {
		running, hasBegun = command, true
		stop = watch(command, streams)
	}
	command, err := root.ExecuteC()
	stop()
	streams.meter.stop()
	if out.err != nil {
		err = fmt.Errorf("stdout can't be written: %w", out.err)
	}
	if err == nil {
		return 0
	}
	if code, said := errors.AsType[exitCode](err); said {
		return int(code)
	}
	interrupt, _ := errors.AsType[*manifests.InterruptError](err)
	if interrupt != nil && interrupt.IsBlocked {
		return codeOf(command, err)
	}
	for _, result := range errorResults(err) {
		if !hasBegun { // the command line is wrong, which is no result of a command
			result.Tags = nil
		}
		fmt.Fprintln(streams.Err, result.Line())
	}
	return codeOf(command, err)
}

// watch has the guard end the process where what the command runs is past a limit.
func watch(command *cobra.Command, streams Streams) (stop func()) {
	if streams.Exit == nil {
		return func() {}
	}
	collectSeldom()
	return guard.Start(func(failed report.Result, isTold bool) {
		if !isTold {
			fmt.Fprintln(streams.Err, failed.Line())
		}
		streams.Exit(codeOf(command, nil))
	})
}

// ballast is live memory that nobody touches, so that it takes none of the machine's.
var ballast []byte

// collectSeldom lets the heap grow by 40 MiB, and a quarter of what is live, between two
// collections of garbage: most runs then end before the first one.
func collectSeldom() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		const percent = 25
		ballast = make([]byte, 40<<20*100/percent)
		runtime.KeepAlive(ballast)
		debug.SetGCPercent(percent)
	}
}

// output is a standard stream, which remembers the first error of writing to it. It is safe for use
// by several goroutines: calls of kubectl side by side write to one.
type output struct {
	to     io.Writer
	meter  *meter
	colour *string
	mutex  sync.Mutex // guards to and err
	err    error
}

func (o *output) Write(text []byte) (int, error) {
	o.meter.stop()
	o.mutex.Lock()
	defer o.mutex.Unlock()
	n, err := o.to.Write(text)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// stream is the stream behind the output; others are themselves.
func stream(of any) any {
	if o, ok := of.(*output); ok {
		return o.to
	}
	return of
}

// leaves returns the errors that are joined in err, or err itself.
func leaves(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, leaves(err)...)
	}
	return all
}

// failureCode is the annotation of a command whose failures have another exit code than 1.
const failureCode = "exit code of failures"

// codeOf returns the exit code for an error: that of its signal, or the command's own.
func codeOf(command *cobra.Command, err error) int {
	var signal os.Signal
	if interrupt, ok := errors.AsType[*manifests.InterruptError](err); ok {
		signal = interrupt.Signal
	} else if interrupt, ok := errors.AsType[*kubectl.InterruptError](err); ok {
		signal = interrupt.Signal
	}
	if number, ok := signal.(syscall.Signal); ok {
		return 128 + int(number)
	}
	if code, err := strconv.Atoi(command.Annotations[failureCode]); err == nil {
		return code
	}
	return 1
}

// exitCode ends a command that has already printed why.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// Root is the command with all subcommands, for what is made of their help.
func Root(build Build) *cobra.Command {
	root := newRoot(build, Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	root.Long += "\n\n" + root.Annotations[afterUsage]
	return root
}

// protocol is what the help says of the KRM function.
func protocol() string {
	kinds := listed(fn.Kinds(), func(k fn.Kind) (string, string) { return k.Name, k.Doc })
	return strings.ReplaceAll(strings.TrimSpace(helpOf()["function"]), "{KINDS}", kinds)
}

func newRoot(build Build, streams Streams) *cobra.Command {
	root := describe("krm-fields")
	streams.colour = cmp.Or(streams.colour, new(colours[0]))
	root.PersistentFlags().Var(choice{streams.colour, colours}, "color", "`WHEN` text is in colour, auto without NO_COLOR on a terminal")
	completeValues(root, "color", colours)
	root.Version, root.Args = build.Version, checkNoArguments
	root.SilenceErrors, root.SilenceUsage = true, true
	root.RunE = func(command *cobra.Command, _ []string) error {
		if isTerminal(streams.In) {
			return command.Help()
		}
		out := stream(streams.Out).(io.Writer) // the process reports itself what it can't write
		err := fn.RunWithWarnings(streams.In, out, streams.Err)
		if failed, ok := errors.AsType[*fn.FailedError](err); ok {
			fmt.Fprintln(streams.Err, failed)
			return exitCode(1)
		}
		return err
	}
	root.SetFlagErrorFunc(flagError)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	// No template for the version: text/template would keep 3 MB of methods in the binary.
	root.AddCommand(
		newRun(streams), newSchema(streams), newExplain(streams), newLocate(streams), newConvert(streams), newSuggest(streams),
		newApply(streams), newDiff(streams), newPlan(streams), newHandover(streams), newAudit(streams), newVersion(build, streams))
	root.AddCommand(describe("paths"))
	checkDefaults(root)
	groupCommands(root)
	root.SetUsageFunc(usage)
	root.Annotations = map[string]string{afterUsage: protocol()}
	if plugin, ok := strings.CutPrefix(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), "kubectl-"); ok {
		// `kubectl krm-fields` runs a kubectl-krm_fields on the PATH, so that is what a user types.
		name := "kubectl " + strings.ReplaceAll(plugin, "_", "-")
		root.Annotations[cobra.CommandDisplayNameAnnotation] = name
		for _, command := range root.Commands() {
			command.Example = strings.ReplaceAll(command.Example, root.Name()+" ", name+" ")
		}
	}
	return root
}

func isTerminal(of any) bool {
	file, ok := stream(of).(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Mode()&os.ModeDevice != 0 && !manifests.IsNull(info)
}
