//go:build cgo

package jq

// threadSpace is what the stacks of the threads take that a child starts after it has begun: with
// cgo each reserves eight MiB.
const threadSpace = 48 << 20
