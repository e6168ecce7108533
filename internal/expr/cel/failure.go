package cel

import (
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// node returns the part of the expression with an id.
func (p *Program) node(id int64) ast.NavigableExpr {
	found := ast.MatchDescendants(ast.NavigateAST(p.checked.NativeRep()), func(e ast.NavigableExpr) bool { return e.ID() == id })
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// call returns the call that has failed with the types of its arguments, such as `string + int`; ""
// if they are not known. It evaluates the expression once more.
func (p *Program) call(id int64, in Input) string {
	e := p.node(id)
	traced, err := p.traced()
	if err != nil || e == nil || e.Kind() != ast.CallKind {
		return ""
	}
	_, details, _ := p.run(traced, in) // it fails again
	args := e.AsCall().Args()
	if e.AsCall().IsMemberFunction() {
		args = slices.Insert(slices.Clone(args), 0, e.AsCall().Target())
	}
	names := make([]string, len(args))
	for i, arg := range args {
		value, isKnown := details.State().Value(arg.ID())
		if arg.Kind() == ast.LiteralKind {
			value, isKnown = arg.AsLiteral(), true
		}
		if !isKnown {
			return ""
		}
		names[i] = value.Type().TypeName()
	}
	function := e.AsCall().FunctionName()
	symbol, isOperator := operators.FindReverse(function)
	switch {
	case isOperator && len(names) == 2:
		return names[0] + " " + symbol + " " + names[1]
	case isOperator && len(names) == 1:
		return symbol + names[0]
	}
	return function + "(" + strings.Join(names, ", ") + ")"
}

// How cel-go reports what is missing: it exports no error for that.
const (
	missingKey   = "no such key: "
	missingIndex = "index out of bounds: "
)

// lacksResource tells whether an evaluation has failed because a field, or an element, is missing
// in the variable Resource or in a part of it.
func (p *Program) lacksResource(failed *EvalError) bool {
	key, isKey := strings.CutPrefix(failed.Cause, missingKey)
	if !isKey && !strings.HasPrefix(failed.Cause, missingIndex) {
		return false
	}
	selection := p.node(failed.node)
	if selection == nil || !isOf(selection, Resource) {
		return false
	}
	// In resource.spec[parameters.key] it may be the index that is missing.
	others := ast.MatchDescendants(selection, func(e ast.NavigableExpr) bool {
		return e.Kind() == ast.SelectKind && isKey && e.AsSelect().FieldName() == key && !isOf(e, Resource)
	})
	return len(others) == 0
}

// isNegated tells whether a key that an evaluation has not found is in the operand of a negation.
func (p *Program) isNegated(failed *EvalError) bool {
	if !strings.HasPrefix(failed.Cause, missingKey) {
		return false
	}
	for e, ok := p.node(failed.node), true; ok; e, ok = e.Parent() {
		if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.LogicalNot {
			return true
		}
	}
	return false
}

// isOf tells whether an expression has a variable, or one of a macro that is a part of it.
func isOf(e ast.NavigableExpr, variable string) bool {
	identifiers := ast.MatchDescendants(e, ast.KindMatcher(ast.IdentKind))
	return slices.ContainsFunc(identifiers, func(name ast.NavigableExpr) bool { return leadsTo(name, variable) })
}

// leadsTo tells whether an identifier is the variable, or that of a macro which walks a part of it.
func leadsTo(name ast.NavigableExpr, variable string) bool {
	for child := name; ; {
		parent, ok := child.Parent()
		if !ok {
			return name.AsIdent() == variable
		}
		if parent.Kind() == ast.ComprehensionKind {
			loop, children := parent.AsComprehension(), parent.Children()
			walked, start := children[0], children[1]
			isInside := child.ID() != walked.ID() && child.ID() != start.ID()
			if isInside && slices.Contains([]string{loop.IterVar(), loop.IterVar2(), loop.AccuVar()}, name.AsIdent()) {
				return isOf(walked, variable) || isOf(start, variable)
			}
		}
		child = parent
	}
}
