//go:build cgo

package jq

// threadSpace is more than what the threads of a child map: with cgo each has a
// stack, and may have a heap, that the C library reserves.
const threadSpace = 1 << 30
