// Package kubectl runs the kubectl on the PATH. Only kubectl knows the cluster and the credentials:
// nothing here reads a kubeconfig or connects to a server.
package kubectl

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
)

const program = "kubectl"

// Kubectl says how kubectl is run. Calls side by side write to Verbose and Stderr, which must be
// safe for that.
type Kubectl struct {
	// Verbose receives the arguments of each call; it may be nil.
	Verbose io.Writer
	// Stderr receives what kubectl says, line by line as it comes, without values of Secrets; it
	// may be nil. What it says while it prints objects, which may be Secrets, is held back to the
	// end of the call. What it says at the end of a call that has failed is in the error alone.
	Stderr io.Writer
	// Warnings get the warnings in it; they may be nil.
	Warnings *Warnings
	// Mask has the Secrets that the run has seen. It gets those that are read.
	Mask *redact.Mask
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
	known := map[string]bool{"": true}
	for line := range strings.Lines(e.Stderr) {
		line = strings.TrimRight(line, " \t\r\n")
		isKnown := known[line]
		known[line] = true
		switch {
		case isKnown:
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
	err := k.run(stdin, &stdout, stdout.Bytes, args)
	return stdout.Bytes(), err
}

// RunLines is Run, and calls each with every line of stdout as it arrives.
func (k Kubectl) RunLines(stdin []byte, each func(line string), args ...string) error {
	w := lineWriter{each: each}
	err := k.run(stdin, &w, nil, args)
	_, _ = w.Write([]byte("\n")) // ends the last line
	return err
}

// RunTo is Run, and writes stdout as it arrives; printed returns what was written, by calls before
// it, too, and never while it is being written.
func (k Kubectl) RunTo(stdout io.Writer, printed func() []byte, args ...string) error {
	return k.run(nil, stdout, printed, args)
}

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

// maxStdout is how much a call may print.
const maxStdout = 1 << 30

// TooLongError is a call that has printed too much.
type TooLongError struct {
	// Command is that of kubectl.
	Command string
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("kubectl %s has printed more than 1 GiB, which is too much; name fewer objects", e.Command)
}

// limitedWriter writes up to a limit.
type limitedWriter struct {
	io.Writer
	left int
	err  error
}

func (w *limitedWriter) Write(text []byte) (int, error) {
	if w.left -= len(text); w.left < 0 {
		return 0, w.err
	}
	return w.Writer.Write(text)
}

// waitDelay is how long the output of a call is waited for that has ended: a process that it has
// left may keep it open.
const waitDelay = 2 * time.Second

// run runs kubectl as a person does: it has the terminal, and its stderr is passed on as it comes.
func (k Kubectl) run(stdin []byte, stdout io.Writer, printed func() []byte, args []string) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return fmt.Errorf("kubectl must be on the PATH, since it alone talks to the cluster: %w", err)
	}
	cluster := slices.Concat(Option("--context=", k.Context), Option("--kubeconfig=", k.Kubeconfig))
	args = slices.Concat(args[:1], cluster, args[1:])
	if k.Verbose != nil {
		fmt.Fprintln(k.Verbose, printable.Line(words.Shell(append([]string{program}, args...))))
	}
	stderr := &stderrWriter{Kubectl: k, printed: printed}
	command := exec.Command(path, args...)
	if printed != nil {
		stdout = &stdoutWriter{stdout, stderr}
	}
	command.Stdout = &limitedWriter{Writer: stdout, left: maxStdout, err: &TooLongError{Command: args[0]}}
	command.Stderr, command.WaitDelay = stderr, waitDelay
	if command.Stdin = os.Stdin; stdin != nil || !isTerminal(os.Stdin) {
		command.Stdin = bytes.NewReader(stdin)
	}
	interrupt, err := runUntilSignal(command)
	tooLong, isTooLong := errors.AsType[*TooLongError](err)
	said := stderr.end(err != nil && !errors.Is(err, exec.ErrWaitDelay))
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		err = nil
	case isTooLong:
		err = tooLong
	default:
		err = &Error{Args: args, Stderr: said, Cause: err}
	}
	if interrupt != nil {
		return &InterruptError{Signal: interrupt, Cause: err}
	}
	return err
}

// InterruptError is a signal that came during a call.
type InterruptError struct {
	Signal os.Signal
	// Cause is the error of the call; nil if it has succeeded all the same.
	Cause error
}

func (e *InterruptError) Error() string { return fmt.Sprintf("ended by a signal (%s)", e.Signal) }

// runUntilSignal runs a command, which gets the signals that this process gets: those of a terminal
// come to it anyhow. A second one kills it. It returns the first.
func runUntilSignal(command *exec.Cmd) (interrupt os.Signal, err error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := command.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case err := <-ended:
			select {
			case s := <-signals:
				return s, err
			default:
				return interrupt, err
			}
		case s := <-signals:
			isOfTerminal := s == os.Interrupt && isForeground()
			if interrupt != nil || !isOfTerminal && command.Process.Signal(s) != nil {
				_ = command.Process.Kill() // it has ended if it can't be killed
			}
			interrupt = s
		}
	}
}

func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Option is a flag with its value, if there is one.
func Option(flag, value string) []string {
	if value == "" {
		return nil
	}
	return []string{flag + value}
}

// isReachable tells whether the API server answers.
func (k Kubectl) isReachable() bool {
	_, err := k.Run(nil, "get", "--raw=/version", "--request-timeout=10s")
	return err == nil
}

// IsExit tells whether kubectl ran and failed.
func IsExit(err error) bool {
	_, isTooLong := errors.AsType[*TooLongError](err)
	_, isExit := errors.AsType[*exec.ExitError](err)
	return isTooLong || isExit
}

// unlessDone returns the error of a call, nil if it has succeeded although a signal came.
func unlessDone(err error) error {
	if interrupt, ok := errors.AsType[*InterruptError](err); ok {
		return interrupt.Cause
	}
	return err
}
