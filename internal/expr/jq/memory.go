//go:build !js

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

// memory is the context of the evaluations in a child. It is done when the live heap has grown by
// more than the limit.
type memory struct {
	context.Context
	sample []metrics.Sample
	// What there was before any input: live heap, and what Go had mapped.
	startHeap, startGo uint64
	// space is nil if the kernel sets no limit.
	space *addressSpace
	// watched is what Go may have, and watchedLive what may be live of it at a garbage collection;
	// ticker says when to look.
	watched, watchedLive atomic.Uint64
	ticker               *time.Ticker
	// before and base are what was measured before and with the input of this evaluation.
	before, base measure
	// max is the limit of this evaluation, and growth what is set at the moment: by how much the
	// process may grow.
	max, growth uint64
	// slack is what may come on top of that.
	slack slack
	steps int
	err   error
}

// slack is what a child may use beyond its limit before it is ended: garbage, fragments, stacks
// that are being copied, threads.
type slack struct {
	all uint64
	// garbage is how much of that garbage may take. With less of it Go would do nothing but collect
	// as what is live comes near to the limit.
	garbage uint64
	// live is what may be live beyond the limit within a step: Go counts what comes while it
	// collects.
	live uint64
}

// smallSlack is for a child with others beside it.
var (
	usualSlack = slack{all: 48 << 20, garbage: 32 << 20, live: 16 << 20}
	smallSlack = slack{all: 16 << 20, garbage: 8 << 20, live: 8 << 20}
)

// measure is the heap, with what a garbage collection would free, and the number of garbage
// collections up to then.
type measure struct{ heap, collections uint64 }

// The names of what is measured, in runtime/metrics.
const (
	heapMetric        = "/memory/classes/heap/objects:bytes"
	liveMetric        = "/gc/heap/live:bytes"
	collectionsMetric = "/gc/cycles/total:gc-cycles"
	totalMetric       = "/memory/classes/total:bytes"
	releasedMetric    = "/memory/classes/heap/released:bytes"
)

const (
	// stepsPerMeasure is how many steps of gojq there are between two measurements.
	stepsPerMeasure = 4096
	// maxReuseGrowth is how much a child may have grown to be used again.
	maxReuseGrowth = 28 << 20
	// unlimited is more than any process can have.
	unlimited = 1 << 48
	// watchInterval is how often watch looks.
	watchInterval = 2 * time.Millisecond
	// minStack lets the smallest limits fail in an evaluation, not before.
	minStack = 1 << 20
	maxStack = 1 << 30
)

func newMemory() *memory {
	m := &memory{
		Context: context.Background(),
		sample:  []metrics.Sample{{Name: heapMetric}, {Name: collectionsMetric}},
	}
	m.setBaseline()
	m.startGo = readMetric(totalMetric)
	m.space, _ = newAddressSpace()
	m.watched.Store(unlimited)
	m.watchedLive.Store(unlimited)
	m.ticker = time.NewTicker(watchInterval)
	m.pause()
	go m.watch()
	return m
}

// setBaseline takes what is on the heap now as what is there before any input.
func (m *memory) setBaseline() {
	runtime.GC()
	m.startHeap = m.look().heap
}

// watch ends this process when Go uses more memory than allowed. One step of gojq can exceed the
// limit between two checks, and slows down there, since Go does all it can to keep its own limit.
func (m *memory) watch() {
	sample := []metrics.Sample{{Name: totalMetric}, {Name: releasedMetric}, {Name: liveMetric}}
	for range m.ticker.C {
		metrics.Read(sample)
		total, released, live := sample[0].Value.Uint64(), sample[1].Value.Uint64(), sample[2].Value.Uint64()
		if total-released > m.watched.Load() || live > m.watchedLive.Load() {
			os.Exit(1)
		}
	}
}

// pause stops the watch until the next evaluation.
func (m *memory) pause() { m.ticker.Stop() }

func readMetric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func (m *memory) look() measure {
	metrics.Read(m.sample)
	return measure{m.sample[0].Value.Uint64(), m.sample[1].Value.Uint64()}
}

// beforeInput sets the limit of an evaluation whose input is about to be read. A large input is
// read without one, and afterInput sets it.
func (m *memory) beforeInput(bytes uint64, isLarge, isSmall bool) error {
	slack := usualSlack
	if isSmall {
		slack = smallSlack
	}
	if slack != m.slack {
		m.slack, m.growth = slack, 0 // what is set is for the other one
	}
	m.steps, m.err, m.max = 0, nil, min(bytes, unlimited)
	m.before = m.look()
	m.watchedLive.Store(unlimited)
	growth := m.max
	if isLarge {
		growth = unlimited
	}
	defer m.ticker.Reset(watchInterval)
	return m.limit(growth)
}

// afterInput takes the input, which has been read, off what is measured.
func (m *memory) afterInput(isLarge bool) error {
	m.base = m.look()
	if isLarge || m.base.collections != m.before.collections {
		runtime.GC()
		m.base = m.look()
	} else {
		m.base.heap -= min(m.base.heap, m.before.heap)
		m.base.heap += m.startHeap
	}
	m.watchedLive.Store(m.base.heap + m.max + m.slack.live)
	if !isLarge {
		return nil
	}
	return m.limit(m.input() + m.max)
}

// limit sets by how much the process may grow beyond what it had at the start. What it has grown by
// already it keeps: Go does not give back address space.
func (m *memory) limit(growth uint64) error {
	if growth == m.growth {
		return nil
	}
	m.growth = growth
	debug.SetMemoryLimit(int64(m.startGo + growth + m.slack.garbage))
	debug.SetMaxStack(int(min(max(growth, minStack), maxStack)))
	m.watched.Store(m.startGo + growth + m.slack.all)
	if m.space == nil {
		return nil
	}
	return m.space.limit(growth + m.slack.all)
}

// hasOutgrown tells whether the process is too large to limit the next evaluation well.
func (m *memory) hasOutgrown() bool {
	return readMetric(totalMetric) > m.startGo+maxReuseGrowth
}

// input is what the input of this evaluation takes.
func (m *memory) input() uint64 {
	return m.base.heap - min(m.base.heap, m.startHeap)
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

// fits tells whether the live heap is within the limit.
func (m *memory) fits() bool {
	if m.look().heap <= m.base.heap+m.max {
		return true
	}
	runtime.GC()
	return m.look().heap <= m.base.heap+m.max
}

// Err returns errMemory once the limit was passed.
func (m *memory) Err() error { return m.err }

// weigh returns errMemory where the results are there but don't fit, or would take the parent more
// than half the limit and the input that it has already.
func (m *memory) weigh(v any) error {
	if !m.fits() || weigh(v, int(m.input()+m.max/2)) < 0 {
		return errMemory
	}
	return nil
}
