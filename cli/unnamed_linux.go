package cli

import "syscall"

// unnamed is O_TMPFILE of open(2): a file without a name, in a folder.
const unnamed = 0o20000000 | syscall.O_DIRECTORY
