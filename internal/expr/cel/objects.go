package cel

import (
	celgo "cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// ObjectFunction is the function object(apiVersion, kind, name), with the namespace as a fourth
// argument that may be left out. It yields an optional value: the object that Objects finds.
const ObjectFunction = "object"

// Objects is the variable whose value is the ObjectLookup that ObjectFunction asks. No expression
// can name it.
const Objects = "#objects"

// ObjectLookup returns the data of an object, as tree.Value gives it; false if there is none.
// Namespace is nil if the expression does not say it.
type ObjectLookup func(apiVersion, kind, name string, namespace *string) (data any, found bool, err error)

// objectFunction declares ObjectFunction. What it does needs the variables, see guardedCall.
func objectFunction() celgo.EnvOption {
	three := []*celgo.Type{celgo.StringType, celgo.StringType, celgo.StringType}
	yields := celgo.OptionalType(celgo.DynType)
	unbound := func(args ...ref.Val) ref.Val { return ObjectLookup(nil).call(args) }
	return celgo.Function(ObjectFunction,
		celgo.Overload("object_by_name", three, yields, celgo.FunctionBinding(unbound)),
		celgo.Overload("object_by_name_and_namespace", append(three, celgo.StringType), yields, celgo.FunctionBinding(unbound)))
}

// call is a call of ObjectFunction.
func (l ObjectLookup) call(args []ref.Val) ref.Val {
	if l == nil {
		return types.NewErr("there are no objects here")
	}
	texts := make([]string, len(args))
	for i, arg := range args {
		text, ok := arg.(types.String)
		if !ok {
			return types.NewErr("the arguments of object must be strings, found %s", arg.Type().TypeName())
		}
		texts[i] = string(text)
	}
	var namespace *string
	if len(texts) > 3 {
		namespace = &texts[3]
	}
	data, isThere, err := l(texts[0], texts[1], texts[2], namespace)
	switch {
	case err != nil:
		return types.WrapErr(err)
	case !isThere:
		return types.OptionalNone
	}
	return types.OptionalOf(adapter{}.NativeToValue(data))
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
