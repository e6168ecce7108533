package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/creack/pty"
)

// endOfTerminal is written to a terminal after all else, so that none of that is lost.
const endOfTerminal = "\x00"

// terminal is the program of the scripts that runs another one with its stdout or stderr on a
// terminal, and writes what that shows to its own:
//
//	terminal stdout|stderr [-until TEXT] PROGRAM ARG...
//
// The other program's stdin is that of this one, and ends only after TEXT was shown.
func terminal() {
	stream, args := os.Args[1], os.Args[2:]
	until := ""
	if args[0] == "-until" {
		until, args = args[1], args[2:]
	}
	command := exec.Command(args[0], args[1:]...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	screen, tty, err := pty.Open()
	exitOn(err)
	out := os.Stdout
	if stream == "stderr" {
		out, command.Stderr = os.Stderr, tty
	} else {
		command.Stdout = tty
	}
	shown := make(chan struct{})
	if until != "" {
		stdin, err := command.StdinPipe()
		exitOn(err)
		go func() {
			_, _ = io.Copy(stdin, os.Stdin)
			<-shown
			_ = stdin.Close()
		}()
	}
	exitOn(command.Start())
	var text bytes.Buffer
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		found := sync.OnceFunc(func() { close(shown) })
		for chunk := make([]byte, 4096); !strings.HasSuffix(text.String(), endOfTerminal); {
			n, err := screen.Read(chunk)
			exitOn(err)
			if text.Write(chunk[:n]); strings.Contains(text.String(), until) {
				found()
			}
		}
	}()
	_ = command.Wait() // its code is handed on below
	_, err = tty.WriteString(endOfTerminal)
	exitOn(err)
	<-ended
	fmt.Fprint(out, strings.TrimSuffix(text.String(), endOfTerminal))
	os.Exit(command.ProcessState.ExitCode())
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "terminal:", err)
		os.Exit(2)
	}
}
