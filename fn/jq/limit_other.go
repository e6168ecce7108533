//go:build !linux

package jq

import "errors"

// errNoLimit says that this operating system does not limit what Go maps, so
// that watching is all that is left; see memory.watch.
var errNoLimit = errors.New("no limit of the address space")

func limitMemory(uint64) error { return errNoLimit }

func addressSpace() (uint64, error) { return 0, errNoLimit }
