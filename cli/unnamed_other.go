//go:build !linux

package cli

import "os"

// unnamed makes the attempt fail, since only Linux has files without a name.
const unnamed = os.O_CREATE | os.O_EXCL
