// Package cli is the command line: the KRM function where there is no
// subcommand, and the subcommands for runs without a host.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn/manifests"
	"github.com/krm-fields/krm-fields/fn/panics"
	"github.com/krm-fields/krm-fields/fn/process"
	"github.com/krm-fields/krm-fields/internal/printable"
)

// Streams are the standard streams of the process.
type Streams struct {
	In  *os.File
	Out io.Writer
	Err io.Writer
}

// Main runs the command line and returns the exit code.
func Main(args []string, version string, streams Streams) (code int) {
	defer func() {
		if value := recover(); value != nil {
			fmt.Fprintf(streams.Err, "error: %s\n", panics.Recovered(value))
			code = 1
		}
	}()
	out := &output{to: streams.Out}
	streams.Out = out
	root := newRoot(version, streams)
	root.SetArgs(args)
	command, err := root.ExecuteC()
	if out.err != nil {
		err = fmt.Errorf("stdout can't be written: %w", out.err)
	}
	return end(command, err, streams.Err)
}

// end says why a command failed, and returns the exit code.
func end(command *cobra.Command, err error, errOut io.Writer) int {
	if err == nil {
		return 0
	}
	code, said := errors.AsType[exitCode](err)
	if said {
		return int(code)
	}
	printError(errOut, err)
	return codeOf(command, err)
}

// printError writes an error, or each of those that are joined in it, on a line.
func printError(out io.Writer, err error) {
	for _, err := range leaves(err) {
		fmt.Fprintln(out, printable.Line("error: "+err.Error()))
	}
}

// leaves returns the errors that are joined in one, or the error itself.
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

// failureCode is the annotation of a command with the exit code of its failures, where that is not 1.
const failureCode = "exit code of failures"

// codeOf is the exit code for an error: as a shell has it where a signal was the cause, else that of the command.
func codeOf(command *cobra.Command, err error) int {
	if interrupt, ok := errors.AsType[*manifests.InterruptError](err); ok {
		if number, ok := interrupt.Signal.(syscall.Signal); ok {
			return 128 + int(number)
		}
	}
	if code, err := strconv.Atoi(command.Annotations[failureCode]); err == nil {
		return code
	}
	return 1
}

// exitCode is an exit of a command that has said why already.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

const longHelp = `krm-fields is a KRM function (https://kpt.dev): it reads a ResourceList from stdin,
carries out its functionConfig and writes the list to stdout. There are three
kinds of functionConfig, all of apiVersion fn.kpt.dev/v1alpha1:

  IgnoreFields     strips or annotates the fields that other actors own, and
                   stamps an object hash
  ApplyPatches     JSON patches with path filters, CEL targeting and iteration
  ApplyOperations  creates, updates, deletes and patches whole objects

A ConfigMap is a short form of IgnoreFields. Hosts run it like this:

  kpt fn eval PKG --image ghcr.io/krm-fields/krm-fields:latest -- jsonPointers=/spec/replicas kind=Deployment
  kpt fn render PKG
  kustomize build --enable-alpha-plugins PKG

Without a host, use "krm-fields run".

Exit codes: 0; 1 on an error. The help of a command lists its own.`

func newRoot(version string, streams Streams) *cobra.Command {
	root := &cobra.Command{
		Use:     "krm-fields",
		Short:   "Strip, annotate and patch the fields of Kubernetes manifests that other actors own",
		Long:    longHelp,
		Version: version,
		Args: func(command *cobra.Command, args []string) error {
			if _, external := externalFolders(args); external {
				return nil
			}
			return noArguments(command, args)
		},
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(command *cobra.Command, args []string) error {
			if folders, external := externalFolders(args); external {
				command.Annotations = map[string]string{failureCode: "2"}
				return runDiff(diffOptions{}, folders, streams)
			}
			if isTerminal(streams.In) {
				return command.Help()
			}
			out := stream(streams.Out).(io.Writer) // the process says itself what it can't write
			if code := process.Run(streams.In, out, streams.Err); code != 0 {
				return exitCode(code)
			}
			return nil
		},
	}
	root.SetFlagErrorFunc(flagError)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	// No template for the version: text/template would keep 3 MB of methods in the binary.
	root.AddCommand(newRun(streams), newSchema(streams), newExplain(streams), newLocate(streams))
	root.AddCommand(newConvert(streams))
	root.AddCommand(newSuggest(streams))
	root.AddCommand(newApply(streams), newDiff(streams))
	root.AddCommand(newPlan(streams))
	checkDefaults(root)
	return root
}

// isTerminal tells whether a stream is a terminal.
func isTerminal(of any) bool {
	file, ok := stream(of).(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Mode()&os.ModeDevice != 0 && !manifests.IsNull(info)
}
