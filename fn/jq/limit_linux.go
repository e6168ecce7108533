package jq

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// limitMemory makes the kernel refuse this process an address space of more than
// bytes, as addressSpace counts it. Go reserves its heap in pieces of 64 MiB, and
// throws when it is refused one.
func limitMemory(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: bytes, Max: math.MaxUint64})
}

// addressSpace returns the size of this process's address space, in bytes.
func addressSpace() (uint64, error) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var pages uint64
	_, err = fmt.Sscan(string(statm), &pages)
	return pages * uint64(os.Getpagesize()), err
}
