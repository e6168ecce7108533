//go:build !js && (!linux || race || !(amd64 || arm64))

package jq

import "errors"

// errNoLimit says that this operating system does not limit what Go maps, so that watching is all
// that is left; see memory.watch. The race detector maps many times what Go does, so there the
// limit would be of no use, and on other processors the pieces of Go's heap differ.
var errNoLimit = errors.New("no limit of the address space")

type addressSpace struct{}

func newAddressSpace() (*addressSpace, error) { return nil, errNoLimit }

func (*addressSpace) limit(uint64) error { return errNoLimit }
