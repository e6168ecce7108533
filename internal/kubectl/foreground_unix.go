//go:build unix

package kubectl

import (
	"os"

	"golang.org/x/sys/unix"
)

// isForeground tells whether the terminal, if there is one, sends its signals to this process and
// to kubectl alike.
func isForeground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
