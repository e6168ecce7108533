// Package jq compiles jq expressions (github.com/itchyny/gojq) once and runs them under a limit of
// time and memory, whatever the expression is.
//
// An expression sees its input and nothing else: no environment, no clock, no other input, no
// files, no modules.
//
// gojq can't be stopped inside one native step, and Go can't recover from a stack overflow or from
// a lack of memory. So there are two ways to run one. An expression whose every step is small runs
// in this process, on a budget of steps; confine.go says which. Any other, and one that exhausts
// that budget, runs in a child process of the same binary that can be killed; see child.go. Both
// give the same results. A program that uses the package must call ChildMain first if IsChild, and
// Shutdown at its end.
//
// Input and output values are made of nil, bool, int, *big.Int, float64, string, []any and
// map[string]any. An input is not changed, but must not be used by another goroutine meanwhile. An
// output may share parts with it.
package jq

import (
	"context"
	"slices"
	"time"

	"github.com/itchyny/gojq"
)

// Limits bound one evaluation of one expression. A zero field means its default.
type Limits struct {
	// Timeout is the time that one evaluation may take.
	Timeout time.Duration
	// Memory is how many bytes evaluation may add to a process's memory.
	Memory int64
	// Context ends evaluations, with its error, when it is done.
	Context context.Context
	// Compilation counts what the expressions of a run take to compile. Without it each is held to
	// its own limit alone.
	Compilation *Compilation
}

// The limits that hold where none are given.
const (
	DefaultTimeout = time.Second
	DefaultMemory  = 256 << 20
)

func (l Limits) orDefaults() Limits {
	if l.Timeout <= 0 {
		l.Timeout = DefaultTimeout
	}
	if l.Memory <= 0 {
		l.Memory = DefaultMemory
	}
	if l.Context == nil {
		l.Context = context.Background()
	}
	return l
}

// Program is a compiled filter. It is safe for use by several goroutines.
type Program struct {
	guard *guard
}

// Compile compiles any filter. The error is a *SyntaxError or a *CompilationError.
func Compile(expression string, limits Limits) (*Program, error) {
	_, done, err := begin(expression, limits)
	if err != nil {
		return nil, err
	}
	defer done()
	return &Program{newGuard(expression, filterMode, limits)}, nil
}

// begin parses an expression, and checks that it compiles and does so with little work. It returns
// a function to call when it is compiled.
func begin(expression string, limits Limits) (query *gojq.Query, done func(), err error) {
	if err := limits.Compilation.add(expression, textWork(expression)); err != nil {
		return nil, nil, err
	}
	if query, err = parse(expression); err != nil {
		return nil, nil, err
	}
	if done, err = admit(expression, query, limits.Compilation); err != nil {
		return nil, nil, err
	}
	if err := checkCompiles(expression, query); err != nil {
		done()
		return nil, nil, err
	}
	return query, done, nil
}

// Run returns what the filter yields for value. Errors are *RuntimeError, *TimeoutError,
// *MemoryError, *ChildError, and that of the limits' context.
func (p *Program) Run(value any) ([]any, error) {
	return p.guard.run(value)
}

// Path is a compiled path expression or projection. It is safe for use by several goroutines.
type Path struct {
	prefix []string
	// steps are known where isSimple is set.
	steps    []Step
	isSimple bool
	guard    *guard
	selects  []string
}

// CompilePath compiles a path expression, such as `.spec.containers[] | select(.name == "app")`, or
// a projection, such as `.data | with_entries(select(.key | startswith("x-")))`. Whether an
// expression is one of them can depend on the value, so any other expression compiles too, and
// fails in Paths. The error is a *SyntaxError or a *CompilationError.
//
// With the same Compilation, and so in the same run, the limits must be the same: an expression
// that comes again is not compiled again.
func CompilePath(expression string, limits Limits) (*Path, error) {
	if path := limits.Compilation.path(expression); path != nil {
		return path, nil
	}
	query, done, err := begin(expression, limits)
	if err != nil {
		return nil, err
	}
	defer done()
	path := &Path{guard: newGuard(expression, pathMode, limits), selects: selectsIn(query)}
	path.steps, path.isSimple = simpleSteps(query)
	path.prefix = cutPrefix(query)
	limits.Compilation.keep(expression, path)
	return path, nil
}

// Prefix returns the plain field names that the expression starts with: spec and containers for
// `.spec.containers[].image`.
func (p *Path) Prefix() []string {
	return p.prefix
}

// InChild is how often the expression was evaluated in a child process so far.
func (p *Path) InChild() int { return int(p.guard.inChild.Load()) }

// Paths returns the paths of the places in value that the expression names. A path holds string
// keys and int indices, counted from 0, and leads to a value that is there and not null. The empty
// path is value itself. One may come twice.
//
// A projection names the members of an object, or elements of a list, that it leaves of the value
// at its longest leading path expression.
//
// Errors are *RuntimeError, *TimeoutError, *MemoryError, *ChildError, and that of the limits'
// context.
func (p *Path) Paths(value any) ([][]any, error) {
	for _, key := range p.prefix {
		object, isObject := value.(map[string]any)
		if value != nil && !isObject {
			return nil, p.guard.fault(&failure{cause: "expected an object but got " + typeName(value)})
		}
		value = object[key]
	}
	return p.PathsFrom(value)
}

// PathsFrom is Paths for a caller that has gone along Prefix already: value is what is there,
// or nil. The paths that it returns start at the root still.
func (p *Path) PathsFrom(value any) ([][]any, error) {
	results, err := p.guard.run(value)
	if err != nil {
		return nil, err
	}
	paths := make([][]any, 0, len(results))
	for _, result := range results {
		path := make([]any, 0, len(p.prefix)+4)
		for _, key := range p.prefix {
			path = append(path, key)
		}
		steps, _ := result.([]any)
		paths = append(paths, append(path, steps...))
	}
	return slices.Clip(paths), nil
}
