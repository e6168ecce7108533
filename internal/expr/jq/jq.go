// Package jq compiles jq expressions (github.com/itchyny/gojq) once and runs them under a limit of
// time and memory, whatever the expression is.
//
// An expression sees its input and nothing else: no environment, no clock, no other input, no
// files, no modules.
//
// Evaluation is in this process, under package guard.
//
// Input and output values are made of nil, bool, int, *big.Int, float64, string, []any and
// map[string]any. An input is not changed, but must not be used by another goroutine meanwhile. An
// output may share parts with it.
package jq

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/guard"
)

// Limits bound one evaluation of one expression. A zero field means its default.
type Limits struct {
	// Timeout is the time that one evaluation may take.
	Timeout time.Duration
	// Memory is how many bytes evaluation may add to the process's memory.
	Memory int64
	// Context ends evaluations, with its error, when it is done.
	Context context.Context
	// Compilation is that of the run. Without it each expression has one of its own.
	Compilation *Compilation
	// Reporter makes the result of a run that ends while an expression is compiled.
	Reporter guard.Reporter
}

// The limits that hold where none are given.
const (
	DefaultTimeout = time.Second
	DefaultMemory  = guard.DefaultMemory
)

const noun = "JQ expression"

// Err returns a *guard.CompilationError once the expressions have taken too long, else nil.
func (c *Compilation) Err() error { return c.Compilation.Err(noun) }

// of returns what an expression is to the guard.
func (l Limits) of(expression string, by guard.Reporter) guard.What {
	return guard.What{
		Noun: noun, Text: expression, Timeout: cmp.Or(max(l.Timeout, 0), DefaultTimeout),
		Memory: cmp.Or(max(l.Memory, 0), DefaultMemory), Stop: l.Context, Reporter: by,
	}
}

// Compilation is what the expressions of one run take to compile, and those that are compiled. It
// is safe for use by several goroutines. The zero value has none.
type Compilation struct {
	guard.Compilation
	// paths has a *Path for each expression.
	paths sync.Map
}

// Program is a compiled filter. It is safe for use by several goroutines.
type Program struct{ *code }

// Compile compiles any filter. The error is a *SyntaxError, or one of a limit of package guard.
func Compile(expression string, limits Limits) (*Program, error) {
	c, err := compile(expression, false, limits)
	if err != nil {
		return nil, err
	}
	return &Program{c}, nil
}

func compile(expression string, isPath bool, limits Limits) (*code, error) {
	if limits.Compilation == nil {
		limits.Compilation = &Compilation{}
	}
	if err := limits.Compilation.Err(); err != nil {
		return nil, err
	}
	work := limits.Compilation.Enter(limits.of(expression, limits.Reporter))
	defer work.Leave()
	c := &code{expression: expression, isPath: isPath, limits: limits}
	query, err := parse(expression)
	if err == nil && isPath && isConstant(query) {
		err = &fault.SyntaxError{Expression: expression, Reason: pathNeeded + "a constant, which names no field of any object; to select nothing, use empty"}
	}
	if err == nil && isPath {
		c.steps, c.isSimple = simpleSteps(query)
		c.prefix = cutPrefix(query)
	}
	if err == nil && !c.isSimple {
		var first *evaluator
		first, err = newEvaluator(expression, isPath)
		c.idle = append(c.idle, first)
	}
	if limit := work.Check(); limit != nil {
		return nil, limit
	}
	return c, err
}

// Run returns what the filter yields for value. Errors are *RuntimeError, those of the limits of
// package guard, and that of the limits' context.
func (p *Program) Run(value any, by guard.Reporter) ([]any, error) {
	return p.run(value, by)
}

// Path is a compiled path expression or projection. It is safe for use by several goroutines.
type Path struct{ *code }

// CompilePath compiles a path expression, such as `.spec.containers[] | select(.name == "app")`, or
// a projection, such as `.data | with_entries(select(.key | startswith("x-")))`. A constant is a
// fault. Whether another expression is one of them can depend on the value, so each compiles, and
// may fail in Paths. Errors are those of Compile.
//
// With the same Compilation, and so in the same run, the limits must be the same: an expression
// that comes again is not compiled again.
func CompilePath(expression string, limits Limits) (*Path, error) {
	if limits.Compilation != nil {
		if known, ok := limits.Compilation.paths.Load(expression); ok {
			return known.(*Path), nil
		}
	}
	c, err := compile(expression, true, limits)
	if err != nil {
		return nil, err
	}
	path := &Path{c}
	if limits.Compilation != nil {
		limits.Compilation.paths.Store(expression, path)
	}
	return path, nil
}

// Prefix returns the plain field names that the expression starts with: spec and containers for
// `.spec.containers[].image`.
func (p *Path) Prefix() []string {
	return p.prefix
}

// Paths returns the paths of the places in value that the expression names. A path holds string
// keys and int indices, counted from 0, and leads to a value that is there and not null. The empty
// path is value itself. One may come twice.
//
// A projection names the members of an object, or elements of a list, that it leaves of the value
// at its longest leading path expression.
//
// Errors are those of Run.
func (p *Path) Paths(value any, by guard.Reporter) ([][]any, error) { return p.PathsFrom(value, 0, by) }

// PathsFrom is Paths for a caller that has taken some of the steps of Prefix already: value is what
// is there, or nil. The paths that it returns start at the root still.
func (p *Path) PathsFrom(value any, taken int, by guard.Reporter) ([][]any, error) {
	for _, key := range p.prefix[taken:] {
		object, isObject := value.(map[string]any)
		if value != nil && !isObject {
			return nil, p.fault(&failure{cause: "expected an object but got " + typeName(value)})
		}
		value = object[key]
	}
	results, err := p.run(value, by)
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
