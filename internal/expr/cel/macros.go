package cel

import (
	"regexp/syntax"
	"slices"
	"strings"

	celgo "cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// Functions that only macros call: no expression can name them.
const (
	sortedFunction = "@sorted"
	offsetFunction = "@offset"
)

// identity declares a function that yields its argument, which apply may refuse or wrap.
func identity(name string, apply func(ref.Val) ref.Val) celgo.EnvOption {
	anything := celgo.TypeParamType("A")
	return celgo.Function(name, celgo.Overload(name, []*celgo.Type{anything}, anything, celgo.UnaryBinding(apply)))
}

// sortedLoops has the loops of macros walk maps in the order of their keys, since Go's order
// changes from run to run.
func sortedLoops(macros []celgo.Macro) []celgo.EnvOption {
	options := []celgo.EnvOption{identity(sortedFunction, func(v ref.Val) ref.Val {
		if m, isMap := v.(traits.Mapper); isMap {
			return sortedMap{m}
		}
		return v
	})}
	for _, m := range macros {
		if !m.IsReceiverStyle() || strings.HasPrefix(m.MacroKey(), "opt") || strings.Contains(m.MacroKey(), "*") {
			continue // optMap and optFlatMap walk nothing, math.least and math.greatest have lists
		}
		options = append(options, celgo.Macros(celgo.ReceiverMacro(m.Function(), m.ArgCount(),
			func(factory celgo.MacroExprFactory, target ast.Expr, args []ast.Expr) (ast.Expr, *celgo.Error) {
				return m.Expander()(factory, factory.NewCall(sortedFunction, target), args)
			})))
	}
	return options
}

// sortedMap is a map that is walked in the order of its keys.
type sortedMap struct{ traits.Mapper }

// Iterator implements traits.Iterable.
func (m sortedMap) Iterator() traits.Iterator {
	keys := make([]ref.Val, 0, m.Size().(types.Int))
	for it := m.Mapper.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	slices.SortStableFunc(keys, compareKeys)
	return types.NewRefValList(adapter{}, keys).Iterator()
}

// compareKeys orders keys of one type by value, others by type.
func compareKeys(a, b ref.Val) int {
	if a.Type() != b.Type() {
		return strings.Compare(a.Type().TypeName(), b.Type().TypeName())
	}
	if comparer, ok := a.(traits.Comparer); ok {
		if order, ok := comparer.Compare(b).(types.Int); ok {
			return int(order)
		}
	}
	return 0
}

// timeZones has the functions of a timestamp that take a time zone refuse names, which mean what
// the files of the machine say.
func timeZones() []celgo.EnvOption {
	options := []celgo.EnvOption{identity(offsetFunction, func(v ref.Val) ref.Val {
		if zone, ok := v.(types.String); ok && !strings.Contains(string(zone), ":") && zone != "UTC" {
			return types.NewErr("a time zone must be UTC or an offset such as +01:00, found %q", string(zone))
		}
		return v
	})}
	for _, function := range []string{
		overloads.TimeGetDate, overloads.TimeGetDayOfMonth, overloads.TimeGetDayOfWeek, overloads.TimeGetDayOfYear, overloads.TimeGetFullYear,
		overloads.TimeGetHours, overloads.TimeGetMilliseconds, overloads.TimeGetMinutes, overloads.TimeGetMonth, overloads.TimeGetSeconds,
	} {
		options = append(options, celgo.Macros(celgo.ReceiverMacro(function, 1,
			func(factory celgo.MacroExprFactory, target ast.Expr, args []ast.Expr) (ast.Expr, *celgo.Error) {
				return factory.NewMemberCall(function, target, factory.NewCall(offsetFunction, args[0])), nil
			})))
	}
	return options
}

// patternValidator says what is wrong with a regular expression that is a constant.
type patternValidator struct{}

// Name implements celgo.ASTValidator.
func (patternValidator) Name() string { return "patterns" }

// Validate implements celgo.ASTValidator.
func (patternValidator) Validate(_ *celgo.Env, _ celgo.ValidatorConfig, checked *ast.AST, issues *celgo.Issues) {
	for _, call := range ast.MatchDescendants(ast.NavigateAST(checked), ast.FunctionMatcher(overloads.Matches)) {
		args := call.AsCall().Args()
		pattern := args[len(args)-1]
		if pattern.Kind() != ast.LiteralKind {
			continue
		}
		text, _ := pattern.AsLiteral().(types.String)
		if _, err := syntax.Parse(string(text), syntax.Perl); err != nil {
			issues.ReportErrorAtID(pattern.ID(), "%s", err)
		}
	}
}

// maxReplaced is how long the text may be that the function replace puts in.
const maxReplaced = 64 << 20

// replaceFunction bounds the function replace, which takes all its memory in one step.
func replaceFunction() celgo.EnvOption {
	three := []*celgo.Type{celgo.StringType, celgo.StringType, celgo.StringType}
	replace := celgo.FunctionBinding(func(args ...ref.Val) ref.Val {
		text, replaced, replacement := string(args[0].(types.String)), string(args[1].(types.String)), string(args[2].(types.String))
		count, most := strings.Count(text, replaced), -1
		if len(args) > len(three) {
			most = int(args[3].(types.Int))
		}
		if most >= 0 {
			count = min(count, most)
		}
		if count > maxReplaced/max(len(replacement), 1) {
			return types.NewErr("replace must put in at most 64Mi of text")
		}
		return types.String(strings.Replace(text, replaced, replacement, most))
	})
	return celgo.Function("replace",
		celgo.MemberOverload("string_replace_string_string", three, celgo.StringType, replace),
		celgo.MemberOverload("string_replace_string_string_int", append(three, celgo.IntType), celgo.StringType, replace))
}

// ObjectFunction is the function object(apiVersion, kind, name), with the namespace as a fourth
// argument that may be left out. It yields an optional value: the object that an ObjectLookup
// finds.
const ObjectFunction = "object"

// ObjectLookup returns the data of an object, as tree.Value gives it; false if there is none.
// Namespace is nil if the expression does not say it.
type ObjectLookup func(apiVersion, kind, name string, namespace *string) (data any, found bool, err error)

func objectFunction() celgo.EnvOption {
	three := []*celgo.Type{celgo.StringType, celgo.StringType, celgo.StringType}
	yields := celgo.OptionalType(celgo.DynType)
	return celgo.Function(ObjectFunction,
		celgo.Overload("object_by_name", three, yields, celgo.LateFunctionBinding()),
		celgo.Overload("object_by_name_and_namespace", append(three, celgo.StringType), yields, celgo.LateFunctionBinding()))
}

// call is a call of ObjectFunction.
func (l ObjectLookup) call(_ string, args ...ref.Val) ref.Val {
	if l == nil {
		return types.NewErr("there are no objects here")
	}
	texts := make([]string, len(args))
	for i, arg := range args {
		texts[i] = string(arg.(types.String)) // cel-go has checked it
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
