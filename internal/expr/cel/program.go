package cel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	celgo "cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types/ref"
)

// Program is a compiled expression, safe for use by several goroutines.
type Program struct {
	expression string
	timeout    time.Duration
	context    context.Context
	output     *celgo.Type
	program    celgo.Program
	// names are the variables and the functions in the expression.
	names map[string]bool
}

// Compile compiles an expression, which stands without ${ and }. The error is a *SyntaxError.
func (e *Environment) Compile(expression string) (program *Program, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			program, err = nil, &SyntaxError{Expression: expression, Reason: fmt.Sprintf("it can't be compiled: %v", cause)}
		}
	}()
	if strings.TrimSpace(expression) == "" {
		return nil, &SyntaxError{Expression: expression, Reason: "the expression must not be empty"}
	}
	if len(expression) > maxExpressionBytes {
		reason := fmt.Sprintf("the expression must be at most %d bytes long, found %d", maxExpressionBytes, len(expression))
		return nil, &SyntaxError{Expression: expression, Reason: reason}
	}
	return e.compile(expression)
}

func (e *Environment) compile(expression string) (*Program, error) {
	env, err := e.library()
	if err != nil {
		return nil, err
	}
	if err := e.compilation.Spend(expressionEffort + byteEffort*int64(len(expression))); err != nil {
		return nil, &SyntaxError{Expression: expression, Reason: err.Error(), Err: err}
	}
	parsed, issues := env.Parse(expression)
	if issues.Err() != nil {
		return nil, e.syntaxError(expression, issues.Errors())
	}
	if err := e.spendOnChecking(parsed.NativeRep().Expr()); err != nil {
		return nil, &SyntaxError{Expression: expression, Reason: err.Error(), Err: err}
	}
	checked, issues := env.Check(parsed)
	if issues.Err() != nil {
		return nil, e.syntaxError(expression, issues.Errors())
	}
	guard, err := e.newGuard(expression, checked.NativeRep())
	if err != nil {
		return nil, err
	}
	missing := newMissing(checked.NativeRep().Expr(), Resource)
	program, err := env.Program(checked,
		celgo.CustomDecoratorV2(guard.decorate),
		celgo.CustomDecoratorV2(missing.decorate),
		celgo.InterruptCheckFrequency(100),
	)
	if err != nil {
		return nil, &SyntaxError{Expression: expression, Reason: err.Error()}
	}
	return &Program{
		expression: expression, timeout: e.timeout, context: e.context, output: checked.OutputType(), program: program,
		names: namesIn(checked.NativeRep()),
	}, nil
}

// spendOnChecking charges the budget in advance for the estimated work of type-checking, since the
// checker can't be interrupted.
func (e *Environment) spendOnChecking(root ast.Expr) error {
	base, err := baseLibrary()
	if err != nil {
		return err
	}
	units, err := effortOf(base.functions, root)
	if err != nil {
		return err
	}
	return e.compilation.Spend(units)
}

// syntaxError reports the first error at its position, and the others behind it with theirs.
func (e *Environment) syntaxError(expression string, faults []*common.Error) error {
	err := &SyntaxError{Expression: expression}
	const shown = 3
	for i, fault := range faults[:min(len(faults), shown)] {
		// The container is that of protocol buffers, which there is none of.
		reason := preview(strings.TrimSuffix(strings.TrimSpace(fault.Message), " (in container '')"))
		line, column := position(fault.Location)
		if i == 0 {
			err.Line, err.Column, err.Reason = line, column, reason
		} else {
			err.Reason += fmt.Sprintf("; (line %d, column %d): %s", line, column, reason)
		}
		if strings.HasPrefix(reason, "undeclared reference") {
			err.Fix = "the variables here are: " + strings.Join(e.variables, ", ")
		}
	}
	return err
}

// position returns line and column, both from 1, or 0 if they are not known.
func position(l common.Location) (line, column int) {
	if l.Line() < 1 {
		return 0, 0
	}
	return l.Line(), l.Column() + 1
}

// String returns the expression as written.
func (p *Program) String() string { return p.expression }

// Reads tells whether the expression has a variable or calls a function.
func (p *Program) Reads(name string) bool { return p.names[name] }

// Eval evaluates the expression with the variables of its environment, whose values are of the
// types of tree.Value, or a func() any that returns one on demand. A whole number beyond 64 bits is
// a double. The result is of these types, too; it may share memory with the variables, so it must
// not be changed. Bytes are returned in base64, timestamps and durations as text.
//
// The error is an *EvalError, a *LimitError, the *quota.Error of the variable Quota or that of the
// environment's context.
func (p *Program) Eval(variables map[string]any) (any, error) {
	ctx, cancel := context.WithTimeout(p.context, p.timeout)
	defer cancel()
	left := &budget{left: costLimit}
	out, _, err := p.program.ContextEval(ctx, &activation{variables, left})
	if err := p.context.Err(); err != nil {
		return nil, err
	}
	if account := quotaOf(variables); account != nil {
		if err := account.Step(evaluationSteps + unitSteps*(costLimit-int64(left.left))); err != nil {
			return nil, err
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, &LimitError{Expression: p.expression, Timeout: p.timeout}
	}
	if err != nil {
		return nil, p.evalError(err)
	}
	return p.result(out)
}

// EvalText is Eval with the result as text: strings as they are, all else as compact JSON.
func (p *Program) EvalText(variables map[string]any) (string, error) {
	v, err := p.Eval(variables)
	if err != nil {
		return "", err
	}
	text, err := textOf(v)
	if err != nil {
		return "", &EvalError{Expression: p.expression, Cause: err.Error()}
	}
	return text, nil
}

func (p *Program) evalError(err error) error {
	if isCancelled(err) {
		return &LimitError{Expression: p.expression}
	}
	_, isMissing := errors.AsType[*missingError](err)
	return &EvalError{Expression: p.expression, Cause: err.Error(), MissingField: isMissing}
}

func (p *Program) result(out ref.Val) (any, error) {
	if weightOf(out) > costLimit || bytesOfResult(out, maxResultBytes) > maxResultBytes {
		return nil, &LimitError{Expression: p.expression}
	}
	v, err := fromCEL(out)
	if err != nil {
		return nil, &EvalError{Expression: p.expression, Cause: err.Error()}
	}
	return v, nil
}
