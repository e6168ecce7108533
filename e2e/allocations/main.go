// Command allocations runs the ResourceList on stdin, and prints how many bytes and pieces of
// memory that allocates, which hardly depends on the machine.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/krm-fields/krm-fields/fn"
)

func main() {
	debug.SetGCPercent(-1) // which would free the memory that is used again
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := fn.Run(os.Stdin, io.Discard); err != nil {
		fmt.Fprintln(os.Stderr, "allocations:", err)
		os.Exit(1)
	}
	runtime.ReadMemStats(&after)
	fmt.Println(after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs)
}
