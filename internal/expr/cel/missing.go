package cel

import (
	"maps"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// missingError is the error of a field, or an element, that a part of the watched variable does not
// have.
type missingError struct{ cause error }

func (e *missingError) Error() string { return e.cause.Error() }

// missing marks the selections `x.y` and `x[y]` of a program where x is a variable or a part of it,
// to tell their errors from all others. cel-go has no exported error for a missing key.
type missing struct {
	// parts are the ids of the expressions that selections start at.
	parts map[int64]bool
	// done are the ids that were decorated; cel-go decorates a selection once more at each of its
	// steps.
	done map[int64]bool
}

func newMissing(root ast.Expr, variable string) *missing {
	p := parts{ids: map[int64]bool{}, scope: map[string]bool{variable: true}}
	p.visit(root)
	return &missing{parts: p.ids, done: map[int64]bool{}}
}

// parts finds the expressions that yield a variable or something made of it.
type parts struct {
	ids map[int64]bool
	// scope has the variables that are or hold a part.
	scope map[string]bool
}

// visit tells whether e yields a part.
func (p *parts) visit(e ast.Expr) bool {
	isPart := false
	switch e.Kind() {
	case ast.IdentKind:
		isPart = p.scope[e.AsIdent()]
	case ast.SelectKind:
		return p.visit(e.AsSelect().Operand())
	case ast.CallKind:
		return p.call(e)
	case ast.ListKind:
		isPart = p.visitAll(e.AsList().Elements()...)
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			isPart = p.visitAll(entry.AsMapEntry().Key(), entry.AsMapEntry().Value()) || isPart
		}
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			isPart = p.visit(field.AsStructField().Value()) || isPart
		}
	case ast.ComprehensionKind:
		isPart = p.comprehension(e.AsComprehension())
	}
	return p.mark(e, isPart)
}

func (p *parts) mark(e ast.Expr, isPart bool) bool {
	if isPart {
		p.ids[e.ID()] = true
	}
	return isPart
}

// visitAll visits the expressions and tells whether one yields a part.
func (p *parts) visitAll(expressions ...ast.Expr) bool {
	found := false
	for _, e := range expressions {
		found = p.visit(e) || found
	}
	return found
}

func (p *parts) call(e ast.Expr) bool {
	call := e.AsCall()
	switch call.FunctionName() {
	case operators.Index, operators.OptIndex, operators.OptSelect:
		isPart := p.visit(call.Args()[0])
		p.visit(call.Args()[1])
		return isPart
	case operators.Conditional:
		p.visit(call.Args()[0])
		return p.mark(e, p.visitAll(call.Args()[1:]...))
	}
	isPart := p.visitAll(call.Args()...)
	if call.IsMemberFunction() {
		isPart = p.visit(call.Target()) || isPart
	}
	return p.mark(e, isPart)
}

// comprehension visits what a macro such as map or exists stands for.
func (p *parts) comprehension(c ast.ComprehensionExpr) bool {
	outer := maps.Clone(p.scope)
	defer func() { p.scope = outer }()
	accumulator := p.visit(c.AccuInit())
	element := p.visit(c.IterRange())
	p.scope = maps.Clone(p.scope)
	p.scope[c.IterVar()] = element
	if c.HasIterVar2() {
		p.scope[c.IterVar2()] = element
	}
	p.scope[c.AccuVar()] = accumulator || element
	p.visitAll(c.LoopCondition(), c.LoopStep())
	return p.visit(c.Result())
}
