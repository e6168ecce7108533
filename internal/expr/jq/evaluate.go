package jq

import (
	"errors"
	"fmt"
	"sync"

	"github.com/itchyny/gojq"

	"github.com/krm-fields/krm-fields/internal/guard"
)

// mode is what an expression is evaluated for.
type mode int

const (
	// filterMode yields what the expression yields.
	filterMode mode = iota
	// pathMode yields paths, each a []any, in what the prefix of the expression leads to; see
	// cutPrefix.
	pathMode
)

// evaluator runs one expression in one mode. It is used by one goroutine at a time.
type evaluator struct {
	// filter is for filterMode.
	filter *gojq.Code
	// attempts are for pathMode: what to try, one after the other until one does not fail. A path
	// expression may be a projection for another value.
	attempts []attempt
	// withoutStrings compiles the path expression again, so that it does not lead into a string;
	// nil where there is no path expression.
	withoutStrings func() (*gojq.Code, error)
}

// attempt is one way to get at the paths. They are read from what code yields.
type attempt struct {
	code *gojq.Code
	read func(results []any) ([][]any, error)
}

// newEvaluator compiles an expression that parse and checkCompiles have taken.
func newEvaluator(expression string, m mode) (*evaluator, error) {
	query, err := parse(expression)
	if err != nil {
		return nil, err
	}
	if m == filterMode {
		filter, err := gojq.Compile(query)
		return &evaluator{filter: filter}, err
	}
	cutPrefix(query)
	return newLocator(query)
}

func newLocator(query *gojq.Query) (*evaluator, error) {
	e := &evaluator{}
	add := func(query *gojq.Query, read func([]any) ([][]any, error)) error {
		code, err := gojq.Compile(query)
		e.attempts = append(e.attempts, attempt{code, read})
		return err
	}
	form := (&forms{}).of(query)
	if form != valueForm {
		if err := add(call("path", query), asPaths); err != nil {
			return nil, err
		}
	}
	if form != valueForm {
		e.withoutStrings = sync.OnceValues(func() (*gojq.Code, error) {
			refuseStrings(query)
			return gojq.Compile(call("path", query), withListCheck())
		})
	}
	if form == pathForm {
		return e, nil
	}
	if hopeful, isOther := projection(query, mixedForm); isOther {
		if err := add(hopeful, projected); err != nil {
			return nil, err
		}
	}
	certain, _ := projection(query, pathForm)
	return e, add(certain, projected)
}

// run evaluates the expression for value. Errors are *failure and those of work.
func (e *evaluator) run(work *guard.Work, value any) (results []any, err error) {
	defer func() {
		if recover() != nil {
			results, err = nil, &failure{cause: "the evaluation failed"}
		}
	}()
	if e.filter != nil {
		return collect(work, e.filter, value)
	}
	paths, err := e.locate(work, value)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		results = append(results, path)
	}
	return results, nil
}

func (e *evaluator) locate(work *guard.Work, value any) (paths [][]any, err error) {
	for _, attempt := range e.attempts {
		var results []any
		if results, err = collect(work, attempt.code, value); err == nil {
			paths, err = attempt.read(results)
		}
		var failed *failure
		if !errors.As(err, &failed) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	resolved, err := resolve(work, value, paths)
	var failed *failure
	if errors.As(err, &failed) && failed.kind == stringFailure && e.withoutStrings != nil {
		return e.locateWithoutStrings(work, value)
	}
	return resolved, err
}

func (e *evaluator) locateWithoutStrings(work *guard.Work, value any) ([][]any, error) {
	code, err := e.withoutStrings()
	if err != nil {
		return nil, err
	}
	results, err := collect(work, code, value)
	if err != nil {
		return nil, err
	}
	paths, err := asPaths(results)
	if err != nil {
		return nil, err
	}
	return resolve(work, value, paths)
}

// collect returns all results of code for value.
func collect(work *guard.Work, code *gojq.Code, value any) ([]any, error) {
	var results []any
	for iter := code.RunWithContext(work, value); ; {
		v, ok := iter.Next()
		if !ok {
			break
		}
		if err, isError := v.(error); isError {
			return nil, asFailure(work, err)
		}
		results = append(results, v)
	}
	if err := work.Check(); err != nil {
		return nil, err
	}
	if weigh(results, int(work.Memory)) < 0 {
		return nil, work.Exceeded()
	}
	if isDeeper(results, maxDepth) {
		return nil, &failure{cause: fmt.Sprintf("a value must not be nested more than %d levels deep", maxDepth)}
	}
	return results, nil
}

// asFailure converts an error that gojq yielded.
func asFailure(work *guard.Work, err error) error {
	if limit := work.Check(); limit != nil {
		return limit
	}
	return describe(err)
}

// asPaths reads what a path expression yields.
func asPaths(results []any) ([][]any, error) {
	paths := make([][]any, 0, len(results))
	for _, path := range results {
		paths = append(paths, path.([]any))
	}
	return paths, nil
}

// projected turns what projection yields into paths to the members that the results leave.
func projected(places []any) ([][]any, error) {
	var paths [][]any
	for _, place := range places {
		parts := place.([]any)
		var path []any
		for _, part := range parts[0].([]any) {
			path = append(path, part.([]any)...)
		}
		for _, result := range parts[2].([]any) {
			steps, ok := members(parts[1], result)
			if !ok {
				return nil, &failure{kind: valueFailure, cause: typeName(result)}
			}
			for _, step := range steps {
				paths = append(paths, append(path[:len(path):len(path)], step))
			}
		}
	}
	return paths, nil
}
