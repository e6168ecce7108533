//go:build !cgo && !js

package jq

// threadSpace is 0: without cgo the stacks of threads are part of the heap.
const threadSpace = 0
