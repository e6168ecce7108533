package cel

import (
	"fmt"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/decls"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

const (
	// maxTypeDepth is how deep lists, maps and optional values may be nested in the type
	// of an expression.
	maxTypeDepth = 64

	// The cost of compiling, in units of quota.Compilation: of an expression, a byte of its text,
	// and a node of its tree.
	expressionEffort = 200
	byteEffort       = 8
	nodeEffort       = 32
	// cubesPerUnit is what the depth of a type counts: cel-go's checker writes the type of each
	// node out as text, with those of its parts, at each level.
	cubesPerUnit = 8
	// A regular expression takes placeEffort for each of its places, and a unit for each limit of
	// its character classes.
	placeEffort = 16
)

// effort estimates the work of cel-go's type checker on a parsed expression. The checker copies all
// known type parameters each time it compares two types.
type effort struct {
	functions map[string]*decls.FunctionDecl
	units     int64
	// parameters are the type parameters so far.
	parameters int64
	deepest    int
	// scope has the depth of the types of the variables of macros.
	scope map[string]int
}

// effortOf returns the units that checking takes. The error says that types are nested too deep.
func effortOf(functions map[string]*decls.FunctionDecl, root ast.Expr) (int64, error) {
	e := effort{functions: functions, scope: map[string]int{}}
	e.visit(root)
	if e.deepest > maxTypeDepth {
		return 0, fmt.Errorf("lists, maps and optional values must be nested at most %d levels deep, found %d",
			maxTypeDepth, e.deepest)
	}
	return e.units, nil
}

// visit counts an expression and returns the maximum nesting of its type.
func (e *effort) visit(x ast.Expr) int {
	depth := 0
	switch x.Kind() {
	case ast.IdentKind:
		depth = e.scope[x.AsIdent()]
	case ast.SelectKind:
		depth = e.visit(x.AsSelect().Operand())
		e.spend(selectionsIn(x))
	case ast.CallKind:
		depth = e.call(x.AsCall())
	case ast.ListKind:
		elements := x.AsList().Elements()
		depth = 1 + e.visitAll(elements)
		e.compare(len(elements))
		e.parameters++
	case ast.MapKind:
		for _, entry := range x.AsMap().Entries() {
			depth = max(depth, e.visit(entry.AsMapEntry().Key()), e.visit(entry.AsMapEntry().Value()))
			e.compare(2)
		}
		depth++
		e.parameters += 2
	case ast.StructKind:
		for _, field := range x.AsStruct().Fields() {
			depth = max(depth, e.visit(field.AsStructField().Value()))
			e.compare(1)
		}
	case ast.ComprehensionKind:
		depth = e.comprehension(x.AsComprehension())
	}
	e.deepest = max(e.deepest, depth)
	cube := int64(min(depth, maxTypeDepth+1))
	e.spend(nodeEffort + cube*cube*cube/cubesPerUnit)
	return depth
}

// selectionsIn returns how many selections such as .a.b are in a row: the checker goes through
// them at each one, since they may be one name.
func selectionsIn(x ast.Expr) int64 {
	count := int64(0)
	for ; x.Kind() == ast.SelectKind; x = x.AsSelect().Operand() {
		count++
	}
	return count
}

func (e *effort) visitAll(expressions []ast.Expr) int {
	depth := 0
	for _, x := range expressions {
		depth = max(depth, e.visit(x))
	}
	return depth
}

// comprehension counts what a macro such as map or exists stands for.
func (e *effort) comprehension(c ast.ComprehensionExpr) int {
	elements := max(e.visit(c.IterRange())-1, 0)
	accumulator := e.visit(c.AccuInit())
	leave := e.enter(c.AccuVar(), accumulator)
	defer leave()
	leaveLoop := e.enter(c.IterVar(), elements)
	leaveSecond := func() {}
	if c.HasIterVar2() {
		leaveSecond = e.enter(c.IterVar2(), elements)
	}
	e.visit(c.LoopCondition())
	accumulator = max(accumulator, e.visit(c.LoopStep()))
	leaveSecond()
	leaveLoop()
	e.scope[c.AccuVar()] = accumulator
	e.compare(3)
	return e.visit(c.Result())
}

// enter declares a variable, and returns what ends its scope.
func (e *effort) enter(name string, depth int) (leave func()) {
	outer, had := e.scope[name]
	e.scope[name] = depth
	return func() {
		if had {
			e.scope[name] = outer
			return
		}
		delete(e.scope, name)
	}
}

func (e *effort) call(c ast.CallExpr) int {
	depth := e.visitAll(c.Args())
	if c.IsMemberFunction() {
		depth = max(depth, e.visit(c.Target()))
	}
	if c.FunctionName() == operators.OptSelect {
		depth++ // the checker knows it without a declaration
	}
	function, isMember := e.function(c)
	if function == nil {
		return depth
	}
	result := 0
	for _, overload := range function.OverloadDecls() {
		if overload.IsMemberFunction() == isMember {
			result = max(result, depthOfResult(overload, depth))
			e.parameters += int64(len(overload.TypeParams()))
			e.compare(1)
		}
	}
	return result
}

// function returns the declaration of what is called, nil if there is none, and whether it is
// called as a member of a value: optional.of is not.
func (e *effort) function(c ast.CallExpr) (function *decls.FunctionDecl, isMember bool) {
	if c.IsMemberFunction() && c.Target().Kind() == ast.IdentKind {
		if function = e.functions[c.Target().AsIdent()+"."+c.FunctionName()]; function != nil {
			return function, false
		}
	}
	return e.functions[c.FunctionName()], c.IsMemberFunction()
}

// depthOfResult returns how deep what the overload yields is at most, for arguments of a depth.
func depthOfResult(overload *decls.OverloadDecl, arguments int) int {
	depth := depthOf(overload.ResultType())
	for _, name := range overload.TypeParams() {
		inResult, _, found := depthsOfParameter(overload.ResultType(), name)
		if !found {
			continue
		}
		inArguments := arguments
		for _, argument := range overload.ArgTypes() {
			if _, shallowest, found := depthsOfParameter(argument, name); found {
				inArguments = min(inArguments, shallowest)
			}
		}
		depth = max(depth, inResult+arguments-inArguments)
	}
	return depth
}

// depthOf returns how deep types are nested in t.
func depthOf(t *types.Type) int {
	depth := 0
	for _, parameter := range t.Parameters() {
		depth = max(depth, 1+depthOf(parameter))
	}
	return depth
}

// depthsOfParameter returns how deep a type parameter is in t: in its deepest place and in the
// one next to the root; false if it has none.
func depthsOfParameter(t *types.Type, name string) (deepest, shallowest int, found bool) {
	if t.Kind() == types.TypeParamKind && t.TypeName() == name {
		return 0, 0, true
	}
	for _, parameter := range t.Parameters() {
		low, high, isIn := depthsOfParameter(parameter, name)
		switch {
		case !isIn:
		case !found:
			deepest, shallowest, found = low+1, high+1, true
		default:
			deepest, shallowest = max(deepest, low+1), min(shallowest, high+1)
		}
	}
	return deepest, shallowest, found
}

// compare counts comparisons of types.
func (e *effort) compare(times int) { e.spend(int64(times) * e.parameters) }

func (e *effort) spend(units int64) { e.units += units }
