//go:build !cgo

package jq

// threadSpace is 0: without cgo the stacks of threads are in the heap.
const threadSpace = 0
