package manifests

import "os"

// interrupts is empty: a browser sends no signals, and has no pipes.
var (
	interrupts []os.Signal
	brokenPipe os.Signal
)
