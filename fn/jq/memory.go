package jq

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// memory is the context of the evaluations in a child. It is done when the live
// heap has grown by more than the limit.
type memory struct {
	context.Context
	sample []metrics.Sample
	// What there was before any input: live heap, what Go has mapped, and the
	// address space.
	startHeap, startGo, startSpace uint64
	// watched is what Go may map where the kernel sets no limit.
	watched atomic.Uint64
	// before and base are the heap before and with the input of this evaluation.
	before, base uint64
	max          uint64
	steps        int
	err          error
}

// The names of what is measured, in runtime/metrics.
const (
	// heapMetric counts what a garbage collection would free, too.
	heapMetric     = "/memory/classes/heap/objects:bytes"
	totalMetric    = "/memory/classes/total:bytes"
	releasedMetric = "/memory/classes/heap/released:bytes"
)

const (
	// stepsPerMeasure is how many steps of gojq go by between two looks.
	stepsPerMeasure = 4096
	// largeInput is the size on the heap from which an input is measured exactly.
	largeInput = 8 << 20
	// memorySlack is what a child may use beyond its limit before it is ended:
	// garbage, fragments, stacks that are being copied, threads.
	memorySlack = 64 << 20
	// firstPiece is what is still free of the heap that Go reserves at the start.
	firstPiece = 56 << 20
	// watchInterval is how often the child looks where the kernel sets no limit.
	watchInterval = 2 * time.Millisecond
	// minStack lets the smallest limits fail in an evaluation, not before.
	minStack = 1 << 20
)

func newMemory() *memory {
	runtime.GC()
	m := &memory{
		Context: context.Background(),
		sample:  []metrics.Sample{{Name: heapMetric}},
		startGo: readMetric(totalMetric),
	}
	m.startHeap = m.heap()
	var err error
	if m.startSpace, err = addressSpace(); err != nil {
		go m.watch()
	}
	return m
}

// watch ends this process when Go has mapped too much, where the kernel does
// not refuse it. One step of gojq can go past the limit between two looks.
func (m *memory) watch() {
	for range time.Tick(watchInterval) {
		limit := m.watched.Load()
		if limit > 0 && readMetric(totalMetric)-readMetric(releasedMetric) > limit {
			os.Exit(1)
		}
	}
}

func readMetric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func (m *memory) heap() uint64 {
	metrics.Read(m.sample)
	return m.sample[0].Value.Uint64()
}

// beforeInput is called before the input of an evaluation is read.
func (m *memory) beforeInput() {
	m.before = m.heap()
}

// limit sets the limit of the evaluation whose input has just been read.
func (m *memory) limit(bytes uint64) error {
	after := m.heap()
	m.base = m.startHeap + (max(after, m.before) - m.before)
	isLarge := after > m.startHeap+largeInput
	if isLarge {
		runtime.GC()
		m.base = m.heap()
	}
	m.steps, m.err = 0, nil
	if bytes == m.max && !isLarge {
		return nil
	}
	m.max = bytes
	more := m.input() + bytes
	debug.SetMemoryLimit(int64(m.startGo + more))
	debug.SetMaxStack(int(max(bytes, minStack)))
	m.watched.Store(m.startGo + more + memorySlack)
	if m.startSpace > 0 {
		return limitMemory(m.startSpace + max(more, firstPiece) - firstPiece + memorySlack)
	}
	return nil
}

// input is what the input of this evaluation takes.
func (m *memory) input() uint64 {
	return m.base - min(m.base, m.startHeap)
}

// Done counts one step.
func (m *memory) Done() <-chan struct{} {
	if m.err == nil {
		if m.steps++; m.steps%stepsPerMeasure != 0 || m.fits() {
			return nil
		}
		m.err = errMemory
	}
	return closed
}

func (m *memory) fits() bool {
	if m.heap() <= m.base+m.max {
		return true
	}
	runtime.GC()
	return m.heap() <= m.base+m.max
}

// Err returns errMemory once the limit was passed.
func (m *memory) Err() error { return m.err }

// weigh returns errMemory for results that would take the parent more than half
// the limit and the input that it has already.
func (m *memory) weigh(v any) error {
	if weigh(v, int(m.input()+m.max/2)) < 0 {
		return errMemory
	}
	return nil
}
