//go:build !js

package manifests

import (
	"os"
	"syscall"
)

// interrupts are the signals that interrupt a Transaction.
var interrupts = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

const brokenPipe = syscall.SIGPIPE
