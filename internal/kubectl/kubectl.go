// Package kubectl runs the kubectl on the PATH. Only kubectl knows the cluster and the credentials:
// nothing here reads a kubeconfig or connects to a server.
package kubectl

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
)

const program = "kubectl"

// Kubectl says how kubectl is run.
type Kubectl struct {
	// Verbose receives the arguments of each call; it may be nil.
	Verbose io.Writer
	// Warn receives what kubectl and the API server say of a call that has not failed, and the
	// warnings of one that has; it may be nil.
	Warn func(text string)
	// Context and Kubeconfig say which cluster; "" for kubectl's own choice.
	Context, Kubeconfig string
	// Namespace is that of objects that have none; "" leaves it to kubectl's context.
	Namespace string
}

// Error is a failed call of kubectl.
type Error struct {
	// Args are its arguments.
	Args []string
	// Stderr is its stderr.
	Stderr string
	// Cause is the error of the call: an *exec.ExitError if kubectl ran.
	Cause error
}

func (e *Error) Error() string {
	// The log is left out where there are other lines, and each line comes once.
	var lines, log []string
	for line := range strings.Lines(e.Stderr) {
		line = strings.TrimRight(line, " \t\r\n")
		switch {
		case line == "" || slices.Contains(lines, line):
		case logLine().MatchString(line):
			log = append(log, line)
		default:
			lines = append(lines, line)
		}
	}
	if lines == nil {
		lines = log
	}
	said := strings.TrimSpace(strings.Join(lines, "\n"))
	return fmt.Sprintf("kubectl %s: %s", e.Args[0], cmp.Or(said, e.Cause.Error()))
}

func (e *Error) Unwrap() error { return e.Cause }

// logLine matches a line of the log that the libraries of kubectl write to stderr, before the
// message that says what failed.
var logLine = words.Pattern(`^[IWEF][0-9]{4} `)

// Run runs kubectl with a text on its stdin and returns its stdout, even if it failed. The error is
// an *Error unless there is no kubectl.
func (k Kubectl) Run(stdin []byte, args ...string) ([]byte, error) {
	var stdout bytes.Buffer
	err := k.run(stdin, &stdout, args)
	return stdout.Bytes(), err
}

// RunLines is Run, and calls each with every line of stdout as it arrives.
func (k Kubectl) RunLines(stdin []byte, each func(line string), args ...string) error {
	w := lineWriter{each: each}
	err := k.run(stdin, &w, args)
	_, _ = w.Write([]byte("\n")) // ends the last line
	return err
}

// RunTo is Run, and writes stdout as it arrives.
func (k Kubectl) RunTo(stdout io.Writer, args ...string) error { return k.run(nil, stdout, args) }

// lineWriter calls each with every line that is written and not empty.
type lineWriter struct {
	each func(line string)
	rest []byte
}

func (w *lineWriter) Write(text []byte) (int, error) {
	w.rest = append(w.rest, text...)
	for {
		line, rest, isWhole := bytes.Cut(w.rest, []byte("\n"))
		if !isWhole {
			return len(text), nil
		}
		if line = bytes.TrimRight(line, "\r"); len(line) > 0 {
			w.each(string(line))
		}
		w.rest = rest
	}
}

func (k Kubectl) run(stdin []byte, stdout io.Writer, args []string) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return fmt.Errorf("kubectl must be on the PATH, since it alone talks to the cluster: %w", err)
	}
	cluster := slices.Concat(Option("--context=", k.Context), Option("--kubeconfig=", k.Kubeconfig))
	args = slices.Concat(args[:1], cluster, args[1:])
	if k.Verbose != nil {
		fmt.Fprintln(k.Verbose, printable.Line(program+" "+quoted(args)))
	}
	var stderr bytes.Buffer
	command := exec.Command(path, args...)
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(stdin), stdout, &stderr
	command.SysProcAttr = apart()
	if err := command.Run(); err != nil {
		return &Error{Args: args, Stderr: k.warn(stderr.String(), true), Cause: err}
	}
	k.warn(stderr.String(), false)
	return nil
}

// warn passes on the lines of a stderr; of a call that has failed only the warnings, which begin as
// those of the API server and most of kubectl do. It returns the others.
func (k Kubectl) warn(stderr string, hasFailed bool) string {
	var others strings.Builder
	for line := range strings.Lines(stderr) {
		text, isWarning := strings.CutPrefix(strings.TrimSpace(line), "Warning: ")
		switch {
		case hasFailed && !isWarning:
			others.WriteString(line)
		case text != "" && k.Warn != nil:
			k.Warn(text)
		}
	}
	return others.String()
}

// Option is a flag with its value, if there is one.
func Option(flag, value string) []string {
	if value == "" {
		return nil
	}
	return []string{flag + value}
}

// IsReachable tells whether the API server answers.
func (k Kubectl) IsReachable() bool {
	_, err := k.Run(nil, "get", "--raw=/version", "--request-timeout=10s")
	return err == nil
}

// IsExit tells whether kubectl ran and failed.
func IsExit(err error) bool {
	_, ok := errors.AsType[*exec.ExitError](err)
	return ok
}

// quoted returns arguments as they are written in a shell.
func quoted(args []string) string {
	return strings.Join(words.Of(args, func(arg string) string {
		if arg == "" || strings.ContainsAny(arg, " \t\n'\"\\$&|;<>()*?[]{}`!#~") {
			return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		return arg
	}), " ")
}
