package quota

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/krm-fields/krm-fields/internal/quantity"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const (
	// NodeSize is the size of a value, a map, a list and a key in addition to its text.
	NodeSize = 100
	// stepsPerObject is the number of steps that each object of a list adds to those of the run.
	stepsPerObject = 1000
)

// Limits are the limits on the operations of a run, as in config.Limits.
type Limits struct {
	// ObjectSize is how much they may add to one object, TotalSize to all objects.
	ObjectSize, TotalSize int64
	// Steps is how many steps they may take.
	Steps int64
}

// Run is the account of one run. It is safe for use by several goroutines.
type Run struct {
	limits      Limits
	size, steps atomic.Int64
	isOver      atomic.Bool
}

// NewRun returns the account of a run over a number of objects.
func NewRun(limits Limits, objects int) *Run {
	r := &Run{limits: limits}
	r.steps.Store(-stepsPerObject * int64(objects))
	return r
}

// IsOver tells whether all objects together have reached a limit.
func (r *Run) IsOver() bool { return r.isOver.Load() }

// Account is the account of one object. It is used by one goroutine at a time.
type Account struct {
	run *Run
	// most is the maximum of size.
	most int64
	// size is the size of what was added, draft that of the temporary values of the current
	// operation.
	size, draft int64
	err         error
}

// Object returns an empty account for an object.
func (r *Run) Object() *Account { return &Account{run: r, most: r.limits.ObjectSize} }

// Elements returns the account of the elements of loops, which are not part of an object but count
// in the total.
func (r *Run) Elements() *Account { return &Account{run: r, most: math.MaxInt64} }

// Begin begins the next operation.
func (o *Account) Begin() { o.draft = 0 }

// Step counts steps. The error, here and below, is an *Error; every later call returns it again.
func (o *Account) Step(steps int64) error {
	if o.err == nil && o.run.steps.Add(steps) > o.run.limits.Steps {
		o.run.isOver.Store(true)
		o.err = &Error{Limit: "steps", Max: o.run.limits.Steps}
	}
	return o.err
}

// Make counts what becomes part of the object.
func (o *Account) Make(size int64) error {
	o.size += size
	switch {
	case o.err != nil:
	case o.size > o.most:
		o.err = &Error{Limit: "objectSize", Max: o.run.limits.ObjectSize}
	case o.run.size.Add(size) > o.run.limits.TotalSize:
		o.run.isOver.Store(true)
		o.err = &Error{Limit: "totalSize", Max: o.run.limits.TotalSize}
	}
	return o.err
}

// Draft counts a value that an expression of the current operation creates, and that may become
// part of the object or not.
func (o *Account) Draft(size int64) error {
	o.draft += size
	if o.err == nil && o.size+o.draft > o.most {
		o.err = &Error{Limit: "objectSize", Max: o.run.limits.ObjectSize}
	}
	return o.err
}

// Left is the largest size that Make or Draft still accepts.
func (o *Account) Left() int64 { return o.most - o.size - o.draft }

// Size is the size of what was added.
func (o *Account) Size() int64 { return o.size }

// Err is the error that a call has returned.
func (o *Account) Err() error { return o.err }

// Error reports that operations exceed a limit.
type Error struct {
	// Limit is the name of the field in the functionConfig: objectSize, totalSize or steps.
	Limit string
	Max   int64
}

func (e *Error) Error() string {
	write := quantity.Bytes
	what := "must add at most %s to one object"
	switch e.Limit {
	case "totalSize":
		what = "must add at most %s to all objects together"
	case "steps":
		write, what = quantity.Decimal, "must take at most %s steps, and 1000 more for each object"
	}
	return fmt.Sprintf("the operations of a run "+what+", found more; `limits: {%s: %s}` in the functionConfig allows it",
		write(e.Max), e.Limit, write(2*e.Max))
}

// SizeOf returns the size of n, with its aliases expanded; some number larger than most if it is
// larger than that.
func SizeOf(n *tree.Node, most int64) int64 {
	n = tree.Deref(n)
	if n == nil {
		return 0
	}
	size := NodeSize + int64(len(n.Text()))
	for _, child := range n.Content {
		if size > most {
			break
		}
		size += SizeOf(child, most-size)
	}
	return size
}

// SizeOfElements returns the size of the elements of a loop, which take less memory than nodes.
func SizeOfElements(elements []any, most int64) int64 {
	const elementSize = 40
	size := int64(0)
	for _, element := range elements {
		if size > most {
			break
		}
		size += SizeOfValue(element, most-size) - NodeSize + elementSize
	}
	return size
}

// SizeOfValue is SizeOf for data as tree.Value returns it.
func SizeOfValue(v any, most int64) int64 {
	size := int64(NodeSize)
	switch v := v.(type) {
	case string:
		size += int64(len(v))
	case []any:
		for _, element := range v {
			if size > most {
				break
			}
			size += SizeOfValue(element, most-size)
		}
	case map[string]any:
		for key, member := range v {
			if size > most {
				break
			}
			size += NodeSize + int64(len(key)) + SizeOfValue(member, most-size)
		}
	}
	return size
}
