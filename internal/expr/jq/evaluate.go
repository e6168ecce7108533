package jq

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/itchyny/gojq"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/guard"
)

// code is a compiled expression. It has an evaluator for each goroutine: gojq's del writes to the
// objects that are in the expression itself.
type code struct {
	expression string
	isPath     bool
	limits     Limits
	// prefix and steps are those of a path expression; steps are known where isSimple is set.
	prefix   []string
	steps    []Step
	isSimple bool
	mutex    sync.Mutex
	idle     []*evaluator
}

// run returns what the expression yields for value: paths, each a []any, where it is a path
// expression, in what its prefix leads to; see cutPrefix.
func (c *code) run(value any, by guard.Reporter) ([]any, error) {
	work := guard.Enter(c.limits.of(c.expression, by))
	defer work.Leave()
	e, err := c.take()
	if err != nil {
		return nil, c.fault(err)
	}
	defer c.put(e)
	results, err := e.run(work, value)
	if err != nil {
		return nil, c.fault(err)
	}
	for i := range results {
		results[i] = plain(results[i])
	}
	return results, nil
}

func (c *code) take() (*evaluator, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	n := len(c.idle)
	if n == 0 {
		return newEvaluator(c.expression, c.isPath)
	}
	e := c.idle[n-1]
	c.idle = c.idle[:n-1]
	return e, nil
}

func (c *code) put(e *evaluator) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.idle = append(c.idle, e)
}

// fault adds the expression to an error of the evaluation.
func (c *code) fault(err error) error {
	if guard.IsLimit(err) || errors.Is(err, context.Canceled) {
		return err
	}
	failed := &failure{cause: evaluationFailed}
	errors.As(err, &failed)
	fault := &fault.RuntimeError{Failure: noun + " runtime error", Expression: c.expression, Cause: failed.cause, SafeCause: failed.safe}
	if failed.kind == valueFailure {
		fault.Cause, fault.Quotes = hintValue(c.expression, failed.cause)
	}
	return fault
}

// failure is why an expression failed on one value, before the expression's text is added.
type failure struct {
	kind failureKind
	// cause may show a value that the expression raises itself; safe is the same without, "" where
	// it is the same.
	cause, safe string
}

type failureKind int

const (
	_ failureKind = iota // any other failure
	// valueFailure is an expression that yields a value instead of paths; the cause is the type of
	// that value.
	valueFailure
	// stringFailure is a path that leads into a string.
	stringFailure
)

func (f *failure) Error() string { return f.cause }

// evaluator runs one expression. It is used by one goroutine at a time.
type evaluator struct {
	// attempts are what to try, one after the other until one does not fail: an expression may be a
	// path expression for one value and a projection for another.
	attempts []attempt
	isPath   bool
	// withoutStrings compiles a path expression again, so that it does not lead into a string; nil
	// where there is none.
	withoutStrings func() (*gojq.Code, error)
}

// attempt is one way to evaluate an expression. The results are read from what code yields.
type attempt struct {
	code *gojq.Code
	read func(results []any) ([]any, error)
}

// newEvaluator compiles an expression. The error is a *SyntaxError.
func newEvaluator(expression string, isPath bool) (*evaluator, error) {
	query, err := parse(expression)
	if err != nil {
		return nil, err
	}
	e := &evaluator{isPath: isPath}
	add := func(query *gojq.Query, read func([]any) ([]any, error)) error {
		code, err := gojq.Compile(query)
		if err != nil {
			return compileFault(expression, err)
		}
		e.attempts = append(e.attempts, attempt{code, read})
		return nil
	}
	asIs := func(results []any) ([]any, error) { return results, nil }
	if !isPath {
		return e, add(query, asIs)
	}
	cutPrefix(query)
	form := (&forms{}).of(query)
	if form != valueForm {
		if err := add(call("path", query), asIs); err != nil {
			return nil, err
		}
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
			results, err = nil, &failure{cause: evaluationFailed}
		}
	}()
	var failed *failure
	for _, attempt := range e.attempts {
		if results, err = collect(work, attempt.code, value); err == nil {
			results, err = attempt.read(results)
		}
		if !errors.As(err, &failed) {
			break
		}
	}
	if err != nil || !e.isPath {
		return results, err
	}
	resolved, err := resolve(work, value, results)
	if !errors.As(err, &failed) || failed.kind != stringFailure || e.withoutStrings == nil {
		return resolved, err
	}
	code, err := e.withoutStrings()
	if err != nil {
		return nil, err
	}
	if results, err = collect(work, code, value); err != nil {
		return nil, err
	}
	return resolve(work, value, results)
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
			if limit := work.Check(); limit != nil {
				return nil, limit
			}
			return nil, describe(err)
		}
		results = append(results, v)
	}
	if err := work.Check(); err != nil {
		return nil, err
	}
	switch left := weigh(results, int(work.Memory), maxDepth); {
	case left == tooDeep:
		return nil, &failure{cause: fmt.Sprintf("a value must not be nested more than %d levels deep", maxDepth)}
	case left < 0:
		return nil, work.Exceeded()
	}
	return results, nil
}

// projected turns what projection yields into paths to the members that the results leave.
func projected(places []any) ([]any, error) {
	var paths []any
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

// gojq selects the characters of a string by `.[0]`, `.[1:]`, `first` and the like, so a path may
// lead into a string, where there is no place. The expression decides whether that is an error:
// `.[0]?` skips anything that is no list. So such an expression is run once more, with a check
// before each such step that fails for a string.

// listCheck hands its input on, except a string, which is an error.
const listCheck = "jq:list"

// stringIndexError is a step from a string to a part of it.
type stringIndexError struct{}

const intoString = "expected an array but got string"

func (*stringIndexError) Error() string { return "expected an array but got: string" }

func withListCheck() gojq.CompilerOption {
	return gojq.WithFunction(listCheck, 0, 0, func(v any, _ []any) any {
		if _, isString := v.(string); isString {
			return &stringIndexError{}
		}
		return v
	})
}

// refuseStrings puts the checks into q.
func refuseStrings(q *gojq.Query) {
	own := map[string]bool{}
	for d := range all[*gojq.FuncDef](q) {
		own[functionKey(d.Name, len(d.Args))] = true
	}
	for t := range all[*gojq.Term](q) {
		if t.Func != nil {
			key := functionKey(t.Func.Name, len(t.Func.Args))
			if !own[key] && (key == "first/0" || key == "last/0" || key == "nth/1") {
				term := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: t.Func}}
				*t = *withSuffixes(parenthesized(pipe(call(listCheck), term)), t.SuffixList)
			}
		}
		checkIndices(t)
	}
}

// withSuffixes is t, which has none, with suffixes.
func withSuffixes(t *gojq.Term, suffixes []*gojq.Suffix) *gojq.Term {
	t.SuffixList = suffixes
	return t
}

// checkIndices puts a check in front of the indices and slices of t.
func checkIndices(t *gojq.Term) {
	now := *t
	suffixes := now.SuffixList
	now.SuffixList = nil
	if now.Type == gojq.TermTypeIndex {
		now = *identity().Term
		suffixes = append([]*gojq.Suffix{{Index: t.Index}}, suffixes...)
	}
	for i := 0; i < len(suffixes); i++ {
		suffix := suffixes[i]
		if _, isField := fieldName(suffix); isField || suffix.Index == nil {
			now.SuffixList = append(now.SuffixList, suffix)
			continue
		}
		before := now
		if !isOptional(suffixes, i+1) {
			now = *parenthesized(pipe(&gojq.Query{Term: &before}, call(listCheck)))
			now.SuffixList = []*gojq.Suffix{suffix}
			continue
		}
		// `?` is about this step alone, and so about the check.
		i++
		step := withSuffixes(parenthesized(call(listCheck)), []*gojq.Suffix{suffix})
		try := &gojq.Term{Type: gojq.TermTypeTry, Try: &gojq.Try{Body: &gojq.Query{Term: step}}}
		now = *parenthesized(pipe(&gojq.Query{Term: &before}, &gojq.Query{Term: try}))
	}
	*t = now
}
