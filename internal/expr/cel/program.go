package cel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	celgo "cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/krm-fields/krm-fields/internal/guard"
)

// Program is a compiled expression, safe for use by several goroutines.
type Program struct {
	expression  string
	environment *Environment
	checked     *celgo.Ast
	program     celgo.Program
	// traced is the program that keeps the values of all its parts, to explain a failure.
	traced func() (celgo.Program, error)
	// names are the variables and the functions in the expression.
	names map[string]bool
}

const noun = "CEL expression"

const (
	// costLimit is that of an evaluation, in units of cel-go.
	costLimit = 10_000_000
	// interruptCheckFrequency is the number of rounds of a loop between two looks at the time.
	interruptCheckFrequency = 100
)

// Compile compiles an expression, which stands without ${ and }. Errors are *SyntaxError and those
// of the limits of package guard.
func (e *Environment) Compile(expression string) (program *Program, err error) {
	if strings.TrimSpace(expression) == "" {
		return nil, invalid(expression, "the expression must not be empty")
	}
	if len(expression) > maxExpressionBytes {
		return nil, invalid(expression, "the expression must be at most %d bytes long, found %d", maxExpressionBytes, len(expression))
	}
	if known, ok := e.programs.Load(expression); ok {
		return known.(*Program), nil
	}
	if err := e.Compilation.Err(noun); err != nil {
		return nil, err
	}
	work := e.Compilation.Enter(guard.What{Noun: noun, Text: expression, Memory: guard.DefaultMemory, Reporter: e.Reporter})
	defer work.Leave()
	defer func() {
		if cause := recover(); cause != nil {
			program, err = nil, invalid(expression, "it can't be compiled: %v", cause)
		}
	}()
	if program, err = e.compile(expression); err == nil {
		e.programs.Store(expression, program)
	}
	if limit := work.Check(); limit != nil {
		return nil, limit
	}
	return program, err
}

func (e *Environment) compile(expression string) (*Program, error) {
	env, err := e.library()
	if err != nil {
		return nil, err
	}
	checked, issues := env.Compile(expression)
	if issues.Err() != nil {
		return nil, e.syntaxError(expression, issues.Errors())
	}
	plan := func(options ...celgo.EvalOption) (celgo.Program, error) {
		return env.Program(checked, celgo.CostLimit(costLimit), celgo.InterruptCheckFrequency(interruptCheckFrequency),
			celgo.EvalOptions(options...))
	}
	program, err := plan(celgo.OptOptimize)
	if err != nil { // an error of an evaluation, such as that of int("x")
		program, err = plan()
	}
	if err != nil {
		return nil, invalid(expression, "%s", err)
	}
	return &Program{
		expression: expression, environment: e, checked: checked, program: program, names: namesIn(checked.NativeRep()),
		traced: sync.OnceValues(func() (celgo.Program, error) { return plan(celgo.OptTrackState) }),
	}, nil
}

// namesIn returns the variables and the functions of an expression.
func namesIn(checked *ast.AST) map[string]bool {
	names := map[string]bool{}
	ast.PostOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.IdentKind:
			names[e.AsIdent()] = true
		case ast.CallKind:
			names[e.AsCall().FunctionName()] = true
		}
	}))
	return names
}

// syntaxError reports the first error at its position, and the others behind it with theirs.
func (e *Environment) syntaxError(expression string, faults []*common.Error) error {
	err := invalid(expression, "")
	const shown = 3
	for i, fault := range faults[:min(len(faults), shown)] {
		// The container is that of protocol buffers, which there is none of.
		reason := preview(strings.TrimSuffix(strings.TrimSpace(fault.Message), " (in container '')"))
		line, column := fault.Location.Line(), fault.Location.Column()+1
		if line < 1 {
			line, column = 0, 0
		}
		if i == 0 {
			err.Line, err.Column, err.Reason = line, column, reason
		} else {
			err.Reason += fmt.Sprintf("; (line %d, column %d): %s", line, column, reason)
		}
		if i == 0 {
			err.Fix = e.fixOf(reason, charAt(expression, line, column))
		}
	}
	return err
}

// fixOf says what to write instead of what a fault is about, at a character; "" where that is not
// known.
func (e *Environment) fixOf(reason, at string) string {
	hasResource := slices.Contains(e.Variables, Resource)
	name, isUndeclared := strings.CutPrefix(reason, "undeclared reference to '")
	_, word, _ := strings.Cut(reason, "mismatched input '")
	word, _, _ = strings.Cut(word, "'")
	switch name = strings.TrimSuffix(name, "'"); {
	case strings.HasPrefix(reason, "Syntax error") && at != "" && strings.Contains("=&|", at):
		return "did you mean " + at + at + "?"
	case isUndeclared && hasResource && (name == "metadata" || strings.HasPrefix(name, "metadata.")):
		return "write resource." + name
	case isUndeclared && hasResource && (name == "object" || name == "self"):
		return "write resource"
	case isUndeclared:
		return "the variables here are: " + strings.Join(e.Variables, ", ")
	case wordsInstead[word] != "":
		return "write " + wordsInstead[word]
	}
	return ""
}

// wordsInstead has what CEL writes for operators that are words elsewhere.
var wordsInstead = map[string]string{"and": "&&", "or": "||", "not": "!(… in …)"}

// charAt returns the character of a text at a line and a column, both from 1; "" for none.
func charAt(text string, line, column int) string {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	chars := []rune(lines[line-1])
	if column < 1 || column > len(chars) {
		return ""
	}
	return string(chars[column-1])
}

// String returns the expression as written.
func (p *Program) String() string { return p.expression }

// Reads tells whether the expression has a variable or calls a function.
func (p *Program) Reads(name string) bool { return p.names[name] }

// Input is what an expression is evaluated on.
type Input struct {
	// Variables are those of the environment. Their values are of the types of tree.Value, or a
	// func() any that returns one on demand. A whole number beyond 64 bits is a double.
	Variables map[string]any
	// Objects are those that ObjectFunction finds; nil for none.
	Objects ObjectLookup
	// Reporter makes the result of a run that ends with the evaluation; nil for none.
	Reporter guard.Reporter
}

// With returns the input with one more variable.
func (in Input) With(name string, value any) Input {
	variables := make(map[string]any, len(in.Variables)+1)
	maps.Copy(variables, in.Variables)
	variables[name] = value
	in.Variables = variables
	return in
}

// Eval evaluates the expression. The result is of the types of tree.Value; it may share memory with
// the variables, so it must not be changed. Bytes are returned in base64, timestamps and durations
// as text. Errors are *EvalError, those of the limits of package guard, and that of the
// environment's context.
func (p *Program) Eval(in Input) (any, error) {
	e := p.environment
	work := guard.Enter(guard.What{
		Noun: noun, Text: p.expression, Timeout: e.timeout, Memory: e.memory, Stop: e.Context, Reporter: in.Reporter,
	})
	defer work.Leave()
	out, _, err := p.run(p.program, in)
	if limit := work.Check(); limit != nil {
		return nil, limit
	}
	if err != nil {
		return nil, p.evalError(err, in)
	}
	if bytesOfResult(out, work.Memory) > work.Memory {
		return nil, work.Exceeded()
	}
	v, err := fromCEL(out)
	if err != nil {
		return nil, &EvalError{Expression: p.expression, Cause: err.Error()}
	}
	return v, work.Check()
}

func (p *Program) run(program celgo.Program, in Input) (ref.Val, *celgo.EvalDetails, error) {
	ctx, cancel := context.WithTimeout(p.environment.Context, p.environment.timeout)
	defer cancel()
	var variables any = in.Variables
	if p.Reads(ObjectFunction) {
		var err error
		variables, err = celgo.FunctionVars(in.Variables, map[string]celgo.LateBoundFunction{ObjectFunction: in.Objects.call})
		if err != nil {
			return nil, nil, err
		}
	}
	out, details, err := program.ContextEval(ctx, variables)
	if cost := details.ActualCost(); cost != nil && *cost > costLimit {
		reason := fmt.Sprintf("exceeded its cost limit of %d", costLimit)
		err = &guard.LimitError{Noun: noun, Text: p.expression, Reason: reason}
	}
	return out, details, err
}

// EvalText is Eval with the result as text: strings as they are, all else as compact JSON.
func (p *Program) EvalText(in Input) (string, error) {
	v, err := p.Eval(in)
	if err != nil {
		return "", err
	}
	text, err := textOf(v)
	if err != nil {
		return "", &EvalError{Expression: p.expression, Cause: err.Error()}
	}
	return text, nil
}

// evalError adds the expression to an error of cel-go, and the types of arguments that a function
// does not take.
func (p *Program) evalError(err error, in Input) error {
	if guard.IsLimit(err) {
		return err
	}
	failed := &EvalError{Expression: p.expression, Cause: err.Error()}
	value, ok := errors.AsType[*types.Err](err)
	if !ok {
		return failed
	}
	failed.node = value.NodeID()
	if cause, _, _ := strings.Cut(failed.Cause, ": "); cause == types.NoSuchOverloadErr().(*types.Err).Error() {
		if call := p.call(failed.node, in); call != "" {
			failed.Cause = cause + ": " + call
		}
	}
	return failed
}
