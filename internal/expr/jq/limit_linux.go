//go:build linux && !race && (amd64 || arm64)

package jq

import (
	"fmt"
	"os"
	"reflect"
	"syscall"
)

const (
	// heapPiece is how much address space Go reserves at a time for its heap, at a multiple of that
	// size (heapArenaBytes in runtime/malloc.go).
	heapPiece = 64 << 20
	// heapStep is by how much the heap grows within a piece.
	heapStep = 4 << 20
	// pieceTables is more than what Go maps to keep account of its pieces.
	pieceTables = 4 << 20
)

// addressSpace is what this process had mapped when it began.
type addressSpace struct {
	// bytes is its size, and free how much of the heap's first piece was not in use. Go starts its
	// heap at a random place in there.
	bytes, free uint64
}

// newAddressSpace returns an error where there is no /proc.
func newAddressSpace() (*addressSpace, error) {
	newest := make([]byte, heapStep)
	end := uint64(reflect.ValueOf(newest).Pointer()) + heapStep
	bytes, err := addressSpaceBytes()
	if err != nil {
		return nil, err
	}
	return &addressSpace{bytes: bytes, free: (heapPiece - end%heapPiece) % heapPiece}, nil
}

// limit makes the kernel refuse this process more address space than its heap needs to grow by
// growth bytes since it began. It gets whole pieces: Go throws when it is refused one. What the
// process has already it keeps, and so it does a limit that it was started with.
func (s *addressSpace) limit(growth uint64) error {
	now, err := addressSpaceBytes()
	if err != nil {
		return err
	}
	growth -= min(growth, s.free)
	pieces := (growth + heapPiece - 1) / heapPiece
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		return err
	}
	limit.Cur = min(max(now, s.bytes+pieces*heapPiece)+pieceTables+threadSpace, limit.Max)
	return syscall.Setrlimit(syscall.RLIMIT_AS, &limit)
}

func addressSpaceBytes() (uint64, error) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var pages uint64
	_, err = fmt.Sscan(string(statm), &pages)
	return pages * uint64(os.Getpagesize()), err
}
