package jq

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// Step is one step of a simple expression. It goes on from every value that the steps before it
// lead to. A place that is missing counts as null.
type Step struct {
	Kind StepKind
	// Text is the key for FieldStep and HasStep, what PrefixStep and SuffixStep look for, and all
	// of a SelectStep as messages show it.
	Text string
	// Index is for IndexStep, below 0 counted from the end.
	Index int
	// Literal is a value that is no list and no object, for LiteralStep and CompareStep.
	Literal any
	// Operator is for CompareStep.
	Operator gojq.Operator
	// Pattern is for TestStep.
	Pattern *regexp.Regexp
	// Left and Right both begin at the value that this step begins at.
	Left, Right []Step
	// Optional leaves out a place of the wrong type, which is an error otherwise.
	Optional bool
}

// StepKind says what a step does.
type StepKind int

const (
	// FieldStep goes to the member of an object; null has none.
	FieldStep StepKind = iota
	// IndexStep goes to the element of a list; null has none.
	IndexStep
	// EachStep goes to all elements of a list, or all members of an object in the order of their
	// keys. Null is of the wrong type.
	EachStep
	// SelectStep stays, once for each true value that Left leads to.
	SelectStep
	// BothStep goes where Left leads to, and then where Right does.
	BothStep
	// AlternativeStep goes where Left leads to a true value; if there is none, where Right leads
	// to.
	AlternativeStep
	// EntriesStep goes to the members of an object for whose entry, an object with key and value,
	// Left leads to a true value; null has none. It is the last step.
	EntriesStep
	// EmptyStep goes nowhere.
	EmptyStep
	// RecurseStep stays, and then goes to all that is in a list or an object, at any depth.
	RecurseStep

	// The steps below make a value that is at no place.

	// LiteralStep makes the literal.
	LiteralStep
	// CompareStep tells whether a value compares to the literal as the operator says.
	CompareStep
	// AndStep and OrStep tell whether Left, Right lead to true values; Right is not looked at where
	// Left decides.
	AndStep
	OrStep
	// NotStep tells whether the value is false or null.
	NotStep
	// PrefixStep and SuffixStep tell whether a string begins, ends with the text; another value is
	// an error.
	PrefixStep
	SuffixStep
	// TestStep tells whether the pattern matches a string; another value is an error.
	TestStep
	// HasStep tells whether an object has the key that is the text; null has none.
	HasStep
	// TypeStep makes the name of the value's type.
	TypeStep
)

// Compares tells what a CompareStep tells of a value. A list or an object is []any.
func (s Step) Compares(value any) bool {
	order := gojq.Compare(value, s.Literal)
	switch s.Operator {
	case gojq.OpEq:
		return order == 0
	case gojq.OpNe:
		return order != 0
	case gojq.OpLt:
		return order < 0
	case gojq.OpLe:
		return order <= 0
	case gojq.OpGt:
		return order > 0
	}
	return order >= 0
}

// Steps returns what a simple expression does, such as `.spec.containers[]? | select(.name ==
// "app") | .ports[0]`. It returns false for every other expression. For a caller that has the value
// in another form, to go the steps is cheaper than to make a value of it for Paths.
func (p *Path) Steps() ([]Step, bool) {
	return p.steps, p.isSimple
}

// simpleSteps returns the steps of q, if it is made of what a Step can do. A projection may be
// `with_entries(select(…))`, or the same in its three parts, at the end of a path.
func simpleSteps(q *gojq.Query) ([]Step, bool) {
	stages, condition := cutEntries(appendStages(nil, q))
	steps, isSimple := addStages(nil, stages)
	if condition == nil {
		return steps, isSimple
	}
	left, ok := addSteps(nil, condition)
	return append(steps, Step{Kind: EntriesStep, Left: left}), ok && isSimple
}

// cutEntries cuts off the end of a projection that keeps the entries of a map for which a condition
// holds, and returns the condition; nil for none.
func cutEntries(stages []*gojq.Query) (before []*gojq.Query, condition *gojq.Query) {
	last := len(stages) - 1
	selection := arguments(stages[last], "with_entries", 1)
	if last >= 2 && arguments(stages[last-2], "to_entries", 0) != nil && arguments(stages[last], "from_entries", 0) != nil {
		last -= 2
		selection = arguments(stages[last+1], "map", 1)
	}
	if len(selection) == 0 || len(arguments(selection[0], "select", 1)) == 0 {
		return stages, nil
	}
	return stages[:last], arguments(selection[0], "select", 1)[0]
}

// appendStages appends the queries between the pipes of q. Pipes nest to the right, so that a
// result of its own for each side would be copied as often as there are pipes.
func appendStages(stages []*gojq.Query, q *gojq.Query) []*gojq.Query {
	for q.Op == gojq.OpPipe && len(q.FuncDefs) == 0 && len(q.Patterns) == 0 {
		stages = appendStages(stages, q.Left)
		q = q.Right
	}
	return append(stages, q)
}

// arguments returns the arguments if q is nothing but the call of a function with so many; else
// nil.
func arguments(q *gojq.Query, name string, count int) []*gojq.Query {
	if !isBare(q, gojq.TermTypeFunc) || q.Term.Func.Name != name || len(q.Term.Func.Args) != count {
		return nil
	}
	return append([]*gojq.Query{}, q.Term.Func.Args...)
}

func addStages(steps []Step, stages []*gojq.Query) ([]Step, bool) {
	for _, stage := range stages {
		var ok bool
		if steps, ok = addSteps(steps, stage); !ok {
			return nil, false
		}
	}
	return steps, true
}

// binarySteps are the operators of which both sides are steps.
var binarySteps = map[gojq.Operator]StepKind{
	gojq.OpComma: BothStep, gojq.OpAlt: AlternativeStep, gojq.OpAnd: AndStep, gojq.OpOr: OrStep,
}

// addSteps appends the steps of q.
func addSteps(steps []Step, q *gojq.Query) ([]Step, bool) {
	if len(q.FuncDefs) > 0 || len(q.Patterns) > 0 {
		return nil, false
	}
	if q.Term != nil {
		return addTermSteps(steps, q.Term)
	}
	switch {
	case q.Op == gojq.OpPipe:
		return addStages(steps, appendStages(nil, q))
	case comparisons[q.Op]:
		literal, isLiteral := literalOf(q.Right)
		steps, ok := addSteps(steps, q.Left)
		return append(steps, Step{Kind: CompareStep, Operator: q.Op, Literal: literal}), ok && isLiteral
	}
	kind, isBinary := binarySteps[q.Op]
	if !isBinary {
		return nil, false
	}
	left, isLeft := addSteps(nil, q.Left)
	right, isRight := addSteps(nil, q.Right)
	return append(steps, Step{Kind: kind, Left: left, Right: right}), isLeft && isRight
}

// literalOf returns the value of a literal that is no list and no object.
func literalOf(q *gojq.Query) (any, bool) {
	if !isBare(q, gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNumber) &&
		(!isBare(q, gojq.TermTypeString) || q.Term.Str.Queries != nil) {
		return nil, false
	}
	literal, _ := q.Run(nil).Next()
	_, isError := literal.(error)
	return literal, !isError
}

func addTermSteps(steps []Step, t *gojq.Term) ([]Step, bool) {
	suffixes, ok := t.SuffixList, true
	switch t.Type {
	case gojq.TermTypeIdentity:
	case gojq.TermTypeIndex:
		suffixes = append([]*gojq.Suffix{{Index: t.Index}}, suffixes...)
	case gojq.TermTypeRecurse:
		steps = append(steps, Step{Kind: RecurseStep})
	case gojq.TermTypeQuery:
		steps, ok = addSteps(steps, t.Query)
	case gojq.TermTypeFunc:
		var step Step
		step, ok = callStep(t.Func)
		steps = append(steps, step)
	default:
		bare := *t
		bare.SuffixList = nil
		var literal any
		literal, ok = literalOf(&gojq.Query{Term: &bare})
		steps = append(steps, Step{Kind: LiteralStep, Literal: literal})
	}
	if !ok {
		return nil, false
	}
	return addSuffixes(steps, suffixes)
}

// maxPattern is the length, in bytes, of the longest pattern that is followed.
const maxPattern = 128

// calls are the functions that are followed, by their number of arguments. All but select take a
// text that is written out.
var calls = []map[string]StepKind{
	{"not": NotStep, "empty": EmptyStep, "recurse": RecurseStep, "type": TypeStep},
	{"select": SelectStep, "has": HasStep, "startswith": PrefixStep, "endswith": SuffixStep, "test": TestStep},
}

// callStep returns the step that a function does.
func callStep(f *gojq.Func) (step Step, ok bool) {
	if len(f.Args) >= len(calls) {
		return Step{}, false
	}
	step.Kind, ok = calls[len(f.Args)][f.Name]
	switch {
	case !ok || len(f.Args) == 0:
		return step, ok
	case step.Kind == SelectStep:
		step.Text = f.String()
		step.Left, ok = addSteps(nil, f.Args[0])
		return step, ok
	}
	if step.Text, ok = literalString(f.Args[0]); !ok || step.Kind != TestStep {
		return step, ok
	}
	if len(step.Text) > maxPattern || strings.Contains(step.Text, "{") {
		return step, false
	}
	var err error
	step.Pattern, err = regexp.Compile(step.Text)
	return step, err == nil
}

func addSuffixes(steps []Step, suffixes []*gojq.Suffix) ([]Step, bool) {
	for i, suffix := range suffixes {
		if suffix.Optional && i > 0 && !suffixes[i-1].Optional {
			steps[len(steps)-1].Optional = true
			continue
		}
		step, ok := Step{Kind: EachStep}, suffix.Iter
		if suffix.Index != nil {
			if step.Text, ok = fieldName(suffix); ok {
				step.Kind = FieldStep
			} else {
				step.Kind = IndexStep
				step.Index, ok = literalIndex(suffix.Index)
			}
		}
		if !ok {
			return nil, false
		}
		steps = append(steps, step)
	}
	return steps, true
}

// literalIndex returns the index of a step such as [2] or [-1].
func literalIndex(i *gojq.Index) (int, bool) {
	if i.Start == nil || i.IsSlice {
		return 0, false
	}
	text := i.Start.String()
	index, err := strconv.Atoi(text)
	return index, err == nil && len(strings.TrimPrefix(text, "-")) <= 9
}
