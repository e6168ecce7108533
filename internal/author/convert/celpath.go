package convert

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// celDialects are what celUnchanged writes in CEL.
var celDialects = dialects{
	jsonpointer.Dialect.Name: func(string) (string, bool) { return "", true },
	jqpath.Dialect.Name: func(text string) (string, bool) {
		_, err := celUnchanged(jqpath.Dialect.Name, text, nil)
		if err != nil {
			return err.Error(), false
		}
		return "", true
	},
}

// celError is a part of an expression that CEL can't express as a value to compare.
type celError struct{ part string }

func (e *celError) Error() string { return e.part + " can't be written in CEL" }

// celUnchanged writes that what an expression finds, a JSON Pointer or jq, is the same before and
// after a write. The types are those of the kinds of objects that it is for; nil for an unknown
// one. The error is a *celError.
func celUnchanged(dialect, text string, types []*schema.Type) (string, error) {
	alternatives, err := celSteps(dialect, text, types)
	if err != nil {
		return "", err
	}
	var equal []string
	for _, steps := range alternatives {
		steps = stored(steps, types)
		var sides []string
		for _, base := range []string{"object", "oldObject"} {
			found, err := celValue(base, steps, types, 0)
			if err != nil {
				return "", err
			}
			sides = append(sides, found.text)
		}
		equal = append(equal, strings.Join(sides, " == "))
	}
	if len(equal) == 1 {
		return equal[0], nil
	}
	return grouped(strings.Join(equal, " && ")), nil
}

// stored returns the steps to where the API server stores the field: it moves a Secret's stringData
// to data before a policy sees the object.
func stored(steps []jq.Step, types []*schema.Type) []jq.Step {
	const moved = "stringData"
	isSecret := func(t *schema.Type) bool { return t.Field(moved) != nil }
	if len(steps) == 0 || steps[0].Text != moved || !slices.ContainsFunc(types, isSecret) {
		return steps
	}
	return append([]jq.Step{{Kind: jq.FieldStep, Text: "data"}}, steps[1:]...)
}

// celSteps returns the steps of each path of an expression.
func celSteps(dialect, text string, types []*schema.Type) ([][]jq.Step, error) {
	if dialect == jsonpointer.Dialect.Name {
		return [][]jq.Step{pointerSteps(location.PointerSegments(text), types)}, nil
	}
	query, err := jq.CompilePath(text, jq.Limits{})
	if err != nil {
		return nil, err
	}
	steps, ok := query.Steps()
	if !ok {
		return nil, &celError{"the expression"}
	}
	return apartPaths(steps), nil
}

// maxPaths bounds the paths of one expression: each comma doubles them.
const maxPaths = 64

// apartPaths takes an expression with commas apart; commas past the bound stay, which celValue
// refuses.
func apartPaths(steps []jq.Step) [][]jq.Step {
	paths := [][]jq.Step{nil}
	for _, step := range steps {
		ways := [][]jq.Step{{step}}
		if step.Kind == jq.BothStep && len(paths) < maxPaths {
			ways = append(apartPaths(step.Left), apartPaths(step.Right)...)
		}
		var longer [][]jq.Step
		for _, path := range paths {
			for _, way := range ways {
				longer = append(longer, append(slices.Clip(path), way...))
			}
		}
		paths = longer
	}
	return paths
}

// pointerSteps are those of a JSON Pointer: where a type is known to be a map, `*` and a number are
// keys, else elements of a list.
func pointerSteps(segments []string, types []*schema.Type) []jq.Step {
	var steps []jq.Step
	for _, segment := range segments {
		step := jq.Step{Kind: jq.FieldStep, Text: segment}
		index, isIndex := location.ListIndex(segment)
		switch {
		case allMaps(types):
		case segment == "*":
			step = jq.Step{Kind: jq.EachStep}
		case isIndex:
			step = jq.Step{Kind: jq.IndexStep, Index: index}
		}
		steps = append(steps, step)
		types = typesBelow(types, step)
	}
	return steps
}

// allMaps tells whether values of the types are maps and no lists.
func allMaps(types []*schema.Type) bool {
	isList := func(t *schema.Type) bool { return t == nil || t.Map == nil || t.List != nil }
	return len(types) > 0 && !slices.ContainsFunc(types, isList)
}

// allLists tells whether values of the types are lists and no maps.
func allLists(types []*schema.Type) bool {
	isMap := func(t *schema.Type) bool { return t == nil || t.List == nil || t.Map != nil }
	return len(types) > 0 && !slices.ContainsFunc(types, isMap)
}

// typesBelow are the types of what a step leads to.
func typesBelow(types []*schema.Type, step jq.Step) []*schema.Type {
	below := make([]*schema.Type, len(types))
	for i, t := range types {
		if step.Kind == jq.FieldStep {
			below[i] = t.Member(step.Text)
		} else {
			below[i] = t.Element()
		}
	}
	return below
}

// celFound is a CEL expression for what is found: a list, or an optional value.
type celFound struct {
	text   string
	isList bool
}

// celValue writes what the steps find from base on. The depth is the number of lists around it.
func celValue(base string, steps []jq.Step, types []*schema.Type, depth int) (celFound, error) {
	for i, step := range steps {
		switch {
		case step.Kind == jq.FieldStep && allLists(types):
			return celFound{}, &celError{"the name " + strconv.Quote(step.Text) + " in a list"}
		case step.Kind == jq.FieldStep:
			base += celKey(step.Text)
		case step.Kind == jq.IndexStep && allMaps(types):
			return celFound{}, &celError{"an index in a map"}
		case step.Kind == jq.IndexStep && step.Index >= 0:
			base += "[?" + strconv.Itoa(step.Index) + "]"
		case step.Kind == jq.EachStep && allMaps(types):
			return celFound{}, &celError{"each member of a map"}
		case step.Kind == jq.EachStep && i > 0:
			return celElements(base+".orValue([])", steps[i+1:], typesBelow(types, step), depth)
		default:
			return celFound{}, &celError{stepNoun(step)}
		}
		types = typesBelow(types, step)
	}
	return celFound{text: base}, nil
}

// celElements writes a list of what the steps find in the elements of a list.
func celElements(list string, steps []jq.Step, types []*schema.Type, depth int) (celFound, error) {
	const variables = "efghijkl"
	if depth >= len(variables) {
		return celFound{}, &celError{"so many lists in lists"}
	}
	element := variables[depth : depth+1]
	var conditions []string
	for len(steps) > 0 && steps[0].Kind == jq.SelectStep {
		condition, err := celCondition(element, steps[0].Left)
		if err != nil {
			return celFound{}, err
		}
		conditions = append(conditions, condition)
		steps = steps[1:]
	}
	if len(steps) == 0 {
		if len(conditions) > 0 {
			list = fmt.Sprintf("%s.filter(%s, %s)", list, element, strings.Join(conditions, " && "))
		}
		return celFound{text: list, isList: true}, nil
	}
	inner, err := celValue(element, steps, types, depth+1)
	if err != nil {
		return celFound{}, err
	}
	isThere := inner.text + ".hasValue()"
	if inner.isList {
		isThere = "size(" + inner.text + ") > 0"
	}
	conditions = append(conditions, isThere)
	return celFound{text: fmt.Sprintf("%s.map(%s, %s, %s)", list, element, strings.Join(conditions, " && "), inner.text), isList: true}, nil
}

// celOperators are the comparisons of which a missing value has the outcome that null has in jq.
var celOperators = map[gojq.Operator]string{gojq.OpEq: "==", gojq.OpNe: "!="}

// celCondition writes a condition on a list element.
func celCondition(element string, steps []jq.Step) (string, error) {
	if len(steps) == 0 {
		return "", &celError{"select(.)"}
	}
	last := steps[len(steps)-1]
	if last.Kind == jq.NotStep {
		condition, err := celCondition(element, steps[:len(steps)-1])
		return "!(" + condition + ")", err
	}
	if operator := map[jq.StepKind]string{jq.AndStep: " && ", jq.OrStep: " || "}[last.Kind]; operator != "" && len(steps) == 1 {
		left, err := celCondition(element, last.Left)
		if err != nil {
			return "", err
		}
		right, err := celCondition(element, last.Right)
		return "(" + left + operator + right + ")", err
	}
	place := steps
	if last.Kind != jq.FieldStep {
		place = steps[:len(steps)-1]
	}
	if slices.ContainsFunc(place, func(s jq.Step) bool { return s.Kind != jq.FieldStep }) {
		return "", &celError{"a condition on more than a field"}
	}
	if len(place) == 0 && last.Kind != jq.HasStep { // the element itself
		return celTest(last, element, func(test string) string { return test })
	}
	value := element
	for _, step := range place {
		value += celKey(step.Text)
	}
	if last.Kind == jq.FieldStep {
		return fmt.Sprintf("(%s.hasValue() && %s.value() != false)", value, value), nil
	}
	if operator := celOperators[last.Operator]; last.Kind == jq.CompareStep && operator != "" {
		if last.Literal == nil {
			return map[string]string{"==": "!", "!=": ""}[operator] + value + ".hasValue()", nil
		}
		literal, err := celLiteral(last.Literal)
		return value + " " + operator + " optional.of(" + literal + ")", err
	}
	if last.Kind == jq.HasStep {
		return value + celKey(last.Text) + ".hasValue()", nil
	}
	return celTest(last, "v", func(test string) string { return value + ".optMap(v, " + test + ").orValue(false)" })
}

// celFunctions are the functions that test a text as a step does.
var celFunctions = map[jq.StepKind]string{jq.PrefixStep: "startsWith", jq.SuffixStep: "endsWith", jq.TestStep: "matches"}

// celTest writes a condition on one value.
func celTest(step jq.Step, value string, within func(test string) string) (string, error) {
	switch {
	case celFunctions[step.Kind] != "":
		return within(value + "." + celFunctions[step.Kind] + "(" + strconv.Quote(step.Text) + ")"), nil
	case step.Kind == jq.CompareStep && celOperators[step.Operator] != "":
		literal, err := celLiteral(step.Literal)
		return within(value + " " + celOperators[step.Operator] + " " + literal), err
	}
	return "", &celError{stepNoun(step)}
}

// celLiteral writes a string, a boolean or a whole number.
func celLiteral(literal any) (string, error) {
	switch v := literal.(type) {
	case string:
		return strconv.Quote(v), nil
	case bool, int:
		return fmt.Sprint(v), nil
	}
	return "", &celError{fmt.Sprintf("a comparison with %v", literal)}
}

// celName matches what may follow a dot in CEL, except its reserved words.
var celName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// celReserved are the reserved words of CEL (langdef.md, "Syntax").
var celReserved = strings.Fields("as break const continue else false for function if import in let loop null package namespace return true var void while")

// celKey writes the step to a member of a map that may be missing.
func celKey(key string) string {
	if celName.MatchString(key) && !slices.Contains(celReserved, key) {
		return ".?" + key
	}
	return "[?" + strconv.Quote(key) + "]"
}

// stepNoun names a step for a message.
func stepNoun(step jq.Step) string {
	switch step.Kind {
	case jq.IndexStep:
		return "an index from the end of a list"
	case jq.SelectStep:
		return step.Text + " on what is no list element"
	case jq.RecurseStep:
		return "a recursive descent"
	case jq.EachStep:
		return "each member of the object"
	case jq.EntriesStep:
		return "a selection of the members of a map"
	case jq.CompareStep:
		return "a comparison with " + step.Operator.String()
	}
	return "the expression"
}
