package quota

import (
	"fmt"
	"math"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/quantity"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const (
	// NodeSize is what a value, a map, a list and a key count beyond their text.
	NodeSize = 100
	// stepsPerObject is how many steps each object of a list adds to those of the run.
	stepsPerObject = 1000
)

// Limits are what the operations of a run may make and do, as config.Limits.
type Limits struct {
	// ObjectSize is how much they may add to one object, TotalSize to all.
	ObjectSize, TotalSize int64
	// Steps is how much they may do.
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

// IsOver tells whether the objects have come to a limit together.
func (r *Run) IsOver() bool { return r.isOver.Load() }

// Account is that of one object. It is used by one goroutine at a time.
type Account struct {
	run *Run
	// most is how large size may be.
	most int64
	// size is what was made, draft what the operation at hand makes on the way.
	size, draft int64
	err         error
}

// Object returns an account with nothing spent on it.
func (r *Run) Object() *Account { return &Account{run: r, most: r.limits.ObjectSize} }

// Elements returns the account of the elements of loops, which are no part of an object: they count
// among what all objects have.
func (r *Run) Elements() *Account { return &Account{run: r, most: math.MaxInt64} }

// Begin begins the next operation.
func (o *Account) Begin() { o.draft = 0 }

// Step counts steps. The error, here and below, is an *Error; it comes again at every later call.
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

// Draft counts what an expression of the operation at hand makes, of which nobody knows yet whether
// it becomes part of the object.
func (o *Account) Draft(size int64) error {
	o.draft += size
	if o.err == nil && o.size+o.draft > o.most {
		o.err = &Error{Limit: "objectSize", Max: o.run.limits.ObjectSize}
	}
	return o.err
}

// Left is how large a value may be at most that Make or Draft takes.
func (o *Account) Left() int64 { return o.most - o.size - o.draft }

// Size is what was made.
func (o *Account) Size() int64 { return o.size }

// Err is the error that a call has returned.
func (o *Account) Err() error { return o.err }

// Error is a limit on what operations may make or do.
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

// SizeOf returns what n counts, with all that its aliases stand for; more than most where it is
// that.
func SizeOf(n *yaml.Node, most int64) int64 {
	n = tree.Deref(n)
	if n == nil {
		return 0
	}
	size := NodeSize + int64(len(n.Value))
	for _, child := range n.Content {
		if size > most {
			break
		}
		size += SizeOf(child, most-size)
	}
	return size
}

// SizeOfElements returns what the elements of a loop count, which take less than nodes do.
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
