// Package cel compiles and evaluates expressions of the Common Expression Language
// (https://cel.dev) and templates: text with expressions in ${…}.
//
// Expressions have the standard library and the extensions for strings, lists, sets, math, base64,
// two-variable comprehensions and optional types of https://pkg.go.dev/cel.dev/cel-go/ext. They
// read no clock, file, network or environment, and give the same result each time: maps are walked
// in the order of their keys, and time zones are offsets. Every evaluation runs under a cost limit
// and a time limit.
//
// The package knows nothing of patches and their targets.
package cel

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	celgo "cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/decls"
	"cel.dev/cel-go/common/functions"
	"cel.dev/cel-go/ext"

	"github.com/krm-fields/krm-fields/internal/quota"
)

// Variables that have a meaning of their own.
const (
	// Resource is the current object. A Condition with a field that it does not have is false.
	Resource = "resource"
	// Parameters is the data that the author of the expressions provides.
	Parameters = "parameters"
	// Current is the value to be changed.
	Current = "current"
)

const (
	maxExpressionBytes = 64 << 10
	maxLevels          = 200
	// defaultTimeout is that of jq. The cost limit ends an evaluation long before, unless the
	// machine is very busy.
	defaultTimeout = time.Second
	// maxPrecision is how many digits format writes behind the point at most.
	maxPrecision = 100
)

// Options say what an Environment offers expressions.
type Options struct {
	// Variables are the names that expressions may use.
	Variables []string
	// Timeout is how long one evaluation may run; 0 stands for one second.
	Timeout time.Duration
	// Context ends evaluations, with its error, when it is done.
	Context context.Context
	// Compilation is the budget for compiling the expressions of the run; nil for one of the
	// environment's own.
	Compilation *quota.Compilation
}

// Environment compiles expressions that know the same variables. It is safe for use by several
// goroutines. The CEL library is first loaded when something is compiled.
type Environment struct {
	variables []string
	timeout   time.Duration
	context   context.Context
	// compilation is the budget that compiling is taken off.
	compilation *quota.Compilation
	library     func() (*celgo.Env, error)
}

// NewEnvironment returns an environment. The error is a *VariableError.
func NewEnvironment(options Options) (*Environment, error) {
	for i, name := range options.Variables {
		if err := checkVariable(name, options.Variables[:i]); err != nil {
			return nil, err
		}
	}
	e := &Environment{variables: slices.Sorted(slices.Values(options.Variables)), timeout: options.Timeout}
	if e.timeout == 0 {
		e.timeout = defaultTimeout
	}
	if e.context = options.Context; e.context == nil {
		e.context = context.Background()
	}
	if e.compilation = options.Compilation; e.compilation == nil {
		e.compilation = &quota.Compilation{}
	}
	e.library = sync.OnceValues(e.extendLibrary)
	return e, nil
}

// Variables returns the names that expressions know, sorted.
func (e *Environment) Variables() []string { return slices.Clone(e.variables) }

// reserved are the words that are no variables
// (https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax).
var reserved = strings.Fields("as break const continue else false for function if import in let loop " +
	"namespace null package return true var void while")

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func checkVariable(name string, taken []string) error {
	switch {
	case !identifier.MatchString(name):
		return &VariableError{name, "it must begin with a letter or _ and have letters, digits and _ only"}
	case slices.Contains(reserved, name):
		return &VariableError{name, "the word is reserved in CEL"}
	case slices.Contains(taken, name):
		return &VariableError{name, "another variable has that name"}
	}
	return nil
}

func (e *Environment) extendLibrary() (*celgo.Env, error) {
	base, err := baseLibrary()
	if err != nil {
		return nil, err
	}
	options := make([]celgo.EnvOption, len(e.variables))
	for i, name := range e.variables {
		options[i] = celgo.Variable(name, celgo.DynType)
	}
	return base.env.Extend(options...)
}

// library is shared by all environments.
type library struct {
	env *celgo.Env
	// overloads has the implementations of all functions, by overload and by function.
	overloads map[string]*functions.Overload
	// functions are the declarations of functions, by name.
	functions map[string]*decls.FunctionDecl
}

var baseLibrary = sync.OnceValues(loadLibrary)

func loadLibrary() (*library, error) {
	env, err := celgo.NewEnv(
		celgo.CustomTypeAdapter(adapter{}),
		celgo.CrossTypeNumericComparisons(true),
		celgo.DefaultUTCTimeZone(true),
		celgo.ParserExpressionSizeLimit(maxExpressionBytes),
		celgo.ParserRecursionLimit(maxLevels),
		celgo.OptionalTypes(),
		ext.Strings(ext.StringsMaxPrecision(maxPrecision)),
		ext.Lists(),
		ext.Sets(),
		ext.Math(),
		ext.Encoders(ext.EncodersVersion(0)),
		ext.TwoVarComprehensions(),
		objectFunction(),
	)
	if err != nil {
		return nil, fmt.Errorf("the CEL library can't be loaded: %w", err)
	}
	overloads, declarations := map[string]*functions.Overload{}, env.Functions()
	for _, function := range declarations {
		bindings, err := function.Bindings()
		if err != nil {
			return nil, fmt.Errorf("the CEL library can't be loaded: %w", err)
		}
		for _, binding := range bindings {
			overloads[binding.Operator] = binding
		}
	}
	return &library{env: env, overloads: overloads, functions: declarations}, nil
}
