package manifests

import "os"

// interrupts is empty: a browser sends no signals.
var interrupts []os.Signal
