package guard

import (
	"math"
	"runtime/metrics"
)

// maxStacks is what stacks may take, whatever the limits: Go ends a process whose stack has a
// gigabyte, and makes a stack that is full twice as large.
const maxStacks = 256 << 20

// memoryInUse is what the heap, with garbage, and the stacks take.
func memoryInUse() uint64 {
	samples := [...]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples[:])
	stacks := samples[1].Value.Uint64()
	if stacks > maxStacks {
		return math.MaxInt64
	}
	return samples[0].Value.Uint64() + stacks
}

const (
	// slack is what may come on top of a limit: a library that ends its work itself names the
	// expression for certain.
	slack = 32 << 20
	// garbage is what may come on top of that, and as much as was live, before what is garbage has
	// been found out.
	garbage = 64 << 20
	// usual is what a run takes for itself, and perByte what it takes for a byte of its input.
	usual   = 64 << 20
	perByte = 10
)

// excess is how far the memory in use is beyond what it may be with one work under way: that work
// counts from its beginning on, and all of the run from the input on.
func excess(one *Work, inUse uint64) int64 {
	ofRun := usual + perByte*inputSize() + one.Memory
	return max(int64(inUse-one.base)-one.Memory, int64(inUse)-ofRun) - slack
}
