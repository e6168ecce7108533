// Package cel compiles and evaluates expressions of the Common Expression Language
// (https://cel.dev) and templates: text with expressions in ${…}.
//
// Expressions have the standard library and the extensions for strings, lists, sets, math, base64,
// two-variable comprehensions and optional types of https://pkg.go.dev/cel.dev/cel-go/ext. They
// read no clock, file, network or environment, and give the same result each time: maps are walked
// in the order of their keys, and time zones are offsets. Every evaluation runs under a cost limit,
// a time limit and package guard.
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
	"cel.dev/cel-go/ext"

	"github.com/krm-fields/krm-fields/internal/guard"
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
	// maxPrecision is how many digits format writes behind the point at most.
	maxPrecision = 100
	// maxPatternSize is how many instructions a regular expression may compile to.
	maxPatternSize = 10_000
	// defaultTimeout is that of jq.
	defaultTimeout = time.Second
)

// Options say what an Environment offers expressions.
type Options struct {
	// Variables are the names that expressions may use.
	Variables []string
	// Context ends evaluations, with its error, when it is done; nil for none that does.
	Context context.Context
	// Compilation adds up the time to compile the expressions of the run; nil for one of the
	// environment's own.
	Compilation *guard.Compilation
	// Reporter makes the result of a run that ends while an expression is compiled; nil for none.
	Reporter guard.Reporter
}

// Environment compiles expressions that know the same variables. It is safe for use by several
// goroutines. The CEL library is first loaded when something is compiled.
type Environment struct {
	Options
	// timeout and memory are the limits of one evaluation.
	timeout time.Duration
	memory  int64
	library func() (*celgo.Env, error)
	// programs has a *Program for each expression that is compiled.
	programs sync.Map
}

// NewEnvironment returns an environment. The error is a *VariableError.
func NewEnvironment(options Options) (*Environment, error) {
	for i, name := range options.Variables {
		if err := checkVariable(name, options.Variables[:i]); err != nil {
			return nil, err
		}
	}
	e := &Environment{Options: options, timeout: defaultTimeout, memory: guard.DefaultMemory}
	e.Variables = slices.Sorted(slices.Values(options.Variables))
	if e.Context == nil {
		e.Context = context.Background()
	}
	if e.Compilation == nil {
		e.Compilation = &guard.Compilation{}
	}
	e.library = sync.OnceValues(func() (*celgo.Env, error) {
		base, err := baseLibrary()
		if err != nil {
			return nil, fmt.Errorf("the CEL library can't be loaded: %w", err)
		}
		variables := make([]celgo.EnvOption, len(e.Variables))
		for i, name := range e.Variables {
			variables[i] = celgo.Variable(name, celgo.DynType)
		}
		return base.Extend(variables...)
	})
	return e, nil
}

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

// baseLibrary is shared by all environments.
var baseLibrary = sync.OnceValues(func() (*celgo.Env, error) {
	env, err := celgo.NewEnv(
		celgo.CustomTypeAdapter(adapter{}),
		celgo.CrossTypeNumericComparisons(true),
		celgo.DefaultUTCTimeZone(true),
		celgo.ParserExpressionSizeLimit(maxExpressionBytes),
		celgo.ParserRecursionLimit(maxLevels),
		celgo.ASTValidators(patternValidator{}),
		celgo.RegexProgramSizeLimit(maxPatternSize),
		celgo.OptionalTypes(),
		ext.Strings(ext.StringsMaxPrecision(maxPrecision)),
		ext.Lists(),
		ext.Sets(),
		ext.Math(),
		ext.Encoders(ext.EncodersVersion(0)),
		ext.TwoVarComprehensions(),
		replaceFunction(),
		objectFunction(),
	)
	if err != nil {
		return nil, err
	}
	return env.Extend(append(timeZones(), sortedLoops(env.Macros())...)...)
})
