package cel

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// maxPatternSize is how many places the regular expressions of one expression may have in sum: a
// character is one, and x{20} is twenty times x.
const maxPatternSize = 10_000

// pattern is a regular expression.
type pattern struct {
	text string
	size int
	// effort is what compiling it takes, in units of quota.Compilation.
	effort int64
	// compiled is nil until the pattern is compiled.
	compiled *regexp.Regexp
}

// readPattern reads a regular expression and finds out its size, before it takes the memory to
// compile it.
func readPattern(text string) (*pattern, error) {
	if len(text) > maxExpressionBytes {
		return nil, fmt.Errorf("a regular expression must be at most %d bytes long, found %d", maxExpressionBytes, len(text))
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("a regular expression must be one of RE2: %w", err)
	}
	size := sizeOfPattern(parsed)
	if size > maxPatternSize {
		return nil, tooLarge(size)
	}
	return &pattern{text: text, size: size, effort: effortOfPattern(parsed)}, nil
}

// effortOfPattern counts repetitions as sizeOfPattern does. A class such as \pL has a thousand
// limits, which each of its places holds.
func effortOfPattern(p *syntax.Regexp) int64 {
	effort := placeEffort + int64(len(p.Rune))
	for _, sub := range p.Sub {
		effort += effortOfPattern(sub)
	}
	if p.Op == syntax.OpRepeat {
		return effort * int64(max(p.Min, p.Max, 1))
	}
	return effort
}

func sizeOfPattern(p *syntax.Regexp) int {
	size := 1
	if p.Op == syntax.OpLiteral {
		size = len(p.Rune)
	}
	for _, sub := range p.Sub {
		size += sizeOfPattern(sub)
	}
	if p.Op == syntax.OpRepeat {
		return size * max(p.Min, p.Max, 1)
	}
	return size
}

func tooLarge(size int) error {
	return fmt.Errorf("regular expressions must have at most %d characters, repetitions written out, found %d",
		maxPatternSize, size)
}

// compileConstants compiles the regular expressions that are constants in an expression. The error
// is a *SyntaxError.
func (e *Environment) compileConstants(expression string, checked *ast.AST) (map[string]*pattern, error) {
	patterns := map[string]*pattern{}
	size := 0
	for _, literal := range constantPatterns(checked.Expr()) {
		p, err := readPattern(literal.text)
		if err == nil {
			if size += p.size; size > maxPatternSize {
				err = tooLarge(size)
			}
		}
		if err == nil {
			err = e.compilation.Spend(p.effort)
		}
		if err == nil {
			p.compiled, err = regexp.Compile(p.text)
		}
		if err != nil {
			line, column := position(checked.SourceInfo().GetStartLocation(literal.id))
			return nil, &SyntaxError{Expression: expression, Line: line, Column: column, Reason: err.Error(), Err: err}
		}
		patterns[p.text] = p
	}
	return patterns, nil
}

// literal is a constant string and the id of its expression.
type literal struct {
	text string
	id   int64
}

// constantPatterns returns the last arguments of the calls of matches that are constants.
func constantPatterns(root ast.Expr) []literal {
	var found []literal
	ast.PostOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != overloads.Matches {
			return
		}
		args := e.AsCall().Args()
		last := args[len(args)-1]
		if last.Kind() != ast.LiteralKind {
			return
		}
		if text, ok := last.AsLiteral().(types.String); ok {
			found = append(found, literal{string(text), last.ID()})
		}
	}))
	return found
}

// match is the function matches.
func (g *guard) match(args []ref.Val) ref.Val {
	text, isText := args[0].(types.String)
	if _, isPattern := args[1].(types.String); !isText || !isPattern {
		return types.NoSuchOverloadErr()
	}
	p, err := g.pattern(args[1])
	if err != nil {
		return types.WrapErr(err)
	}
	if p.compiled != nil {
		return types.Bool(p.compiled.MatchString(string(text)))
	}
	compiled, err := regexp.Compile(p.text)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.Bool(compiled.MatchString(string(text)))
}

func (g *guard) pattern(v ref.Val) (*pattern, error) {
	if p, ok := g.patterns[stringOf(v)]; ok {
		return p, nil
	}
	return readPattern(stringOf(v))
}

// matchWork is that of each character at each place of the pattern, some of which are tried at
// once, and of compiling it.
func (g *guard) matchWork(args []ref.Val) uint64 {
	const compiling, atOnce = 8, 8
	p, err := g.pattern(args[1])
	if err != nil {
		return scanWork(args)
	}
	work := times(bytesOf(args[0]), uint64(p.size)) / atOnce
	if p.compiled == nil {
		work = plus(work, compiling*uint64(p.size))
	}
	return plus(work, scanWork(args))
}
